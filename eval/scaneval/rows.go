package scaneval

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// Row is one labelled text.
type Row struct {
	Text     string `json:"text"`
	Label    string `json:"label"`    // pos or neg
	Category string `json:"category"` // group, or group/kind
	Act      string `json:"act"`      // the dangerous act, where the words around it are judged
}

// maxLine is the longest line of a file of rows, in bytes.
const maxLine = 16 << 20

// ReadRows reads JSON lines. Its error names the line; keys that are not of a
// row are skipped.
func ReadRows(r io.Reader) ([]Row, error) {
	var rows []Row
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxLine)
	for n := 1; lines.Scan(); n++ {
		if strings.TrimSpace(lines.Text()) == "" {
			continue
		}
		var row Row
		if err := json.Unmarshal(lines.Bytes(), &row); err != nil {
			return nil, fmt.Errorf("line %d: not a row of JSON", n)
		}
		if row.Label != "pos" && row.Label != "neg" {
			return nil, fmt.Errorf("line %d: label is neither pos nor neg", n)
		}
		rows = append(rows, row)
	}
	return rows, lines.Err()
}
