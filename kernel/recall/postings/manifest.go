package postings

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
)

// manifest is the state of the last flush: which files hold it, and all that would
// otherwise have to be counted when it is opened.
type manifest struct {
	Fingerprint string        `json:"fingerprint"`
	Fields      []string      `json:"fields"`
	NoPositions []bool        `json:"no_positions,omitempty"`
	RowSize     int           `json:"row_size"`
	Slots       uint32        `json:"slots"`
	Live        uint32        `json:"live"`
	Totals      []uint64      `json:"totals"` // by field
	Rows        fileMeta      `json:"rows"`   // the file may be longer
	Dead        fileMeta      `json:"dead"`
	Segments    []segmentMeta `json:"segments"` // ascending
	Mark        []byte        `json:"mark"`
}

// segmentMeta is a segment: the postings of the slots [Base, Base+Span), of which
// Docs have any.
type segmentMeta struct {
	File fileMeta `json:"file"`
	Gaps fileMeta `json:"gaps"` // Size 0: none
	Base uint32   `json:"base"`
	Span uint32   `json:"span"`
	Docs uint32   `json:"docs"`
}

// manifestHead begins the line that holds the checksum of what follows it. The
// number is the version of everything in the folder.
const manifestHead = "rnixfs postings 2 "

func (m *manifest) encode() ([]byte, error) {
	body, err := json.Marshal(m)
	if err != nil {
		return nil, fmt.Errorf("postings: manifest: %w", err)
	}
	return fmt.Appendf(nil, "%s%08x\n%s\n", manifestHead, sum(0, append(body, '\n')), body), nil
}

// decodeManifest returns ErrCorrupt for whatever encode has not written.
func decodeManifest(data []byte) (*manifest, error) {
	head, body, _ := bytes.Cut(data, []byte("\n"))
	if string(head) != fmt.Sprintf("%s%08x", manifestHead, sum(0, body)) {
		return nil, damaged("manifest: head or checksum")
	}
	m := &manifest{}
	if err := json.Unmarshal(body, m); err != nil {
		return nil, damaged("manifest: %v", err)
	}
	if err := m.check(); err != nil {
		return nil, err
	}
	return m, nil
}

// check makes sure that the numbers fit each other: a checksum doesn't keep out
// what a faulty program has written.
func (m *manifest) check() error {
	if m.RowSize < 0 || m.Live > m.Slots || len(m.Totals) != len(m.Fields) || len(m.NoPositions) > len(m.Fields) {
		return damaged("manifest: totals")
	}
	if err := m.Rows.check("rows"); err != nil {
		return err
	}
	if m.Rows.Size != int64(m.Slots)*int64(m.recordSize()) || m.Dead.Size > int64(m.Slots)/8+8 {
		return damaged("manifest: rows")
	}
	if err := m.Dead.check("dead"); err != nil {
		return err
	}
	var from uint64
	for _, s := range m.Segments {
		if err := s.check(); err != nil {
			return err
		}
		if uint64(s.Base) < from {
			return damaged("manifest: segments overlap")
		}
		from = uint64(s.Base) + uint64(s.Span)
	}
	if from > uint64(m.Slots) {
		return damaged("manifest: segments end after the slots")
	}
	return nil
}

func (s segmentMeta) check() error {
	if err := s.File.check("segment"); err != nil {
		return err
	}
	if err := s.Gaps.check("gaps"); err != nil {
		return err
	}
	if s.Docs == 0 || s.File.Size == 0 || s.Docs > s.Span || s.Gaps.Size != 4*int64(s.Span-s.Docs) {
		return damaged("manifest: segment %s", s.File.Name)
	}
	return nil
}

// check accepts a name of ours and no path.
func (m fileMeta) check(kind string) error {
	if m.Size == 0 && m.Name == "" {
		return nil
	}
	match := numbered.FindStringSubmatch(m.Name)
	if match == nil || match[1] != kind || m.Size < 0 {
		return damaged("manifest: file %q", m.Name)
	}
	return nil
}

// recordSize is what a slot takes in the rows: its row and its lengths.
func (m *manifest) recordSize() int { return m.RowSize + 4*len(m.Fields) }

// madeBy reports whether an index was made as the options say.
func (m *manifest) madeBy(opts *Options) bool {
	for f := range m.Fields {
		if opts.bare(f) != (f < len(m.NoPositions) && m.NoPositions[f]) {
			return false
		}
	}
	return m.Fingerprint == opts.Fingerprint && m.RowSize == opts.RowSize && slices.Equal(m.Fields, opts.Fields)
}

// files are the names of all files.
func (m *manifest) files() map[string]bool {
	out := map[string]bool{m.Rows.Name: true, m.Dead.Name: true}
	for _, s := range m.Segments {
		out[s.File.Name], out[s.Gaps.Name] = true, true
	}
	return out
}
