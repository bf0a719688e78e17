package postings

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"slices"
)

// manifest is the state of the last flush: which files hold it.
type manifest struct {
	Fingerprint string        `json:"fingerprint"`
	Fields      []string      `json:"fields"`
	RowSize     int           `json:"row_size"`
	Docs        uint32        `json:"docs"`
	Rows        fileMeta      `json:"rows"`     // the file may be longer
	Segments    []segmentMeta `json:"segments"` // ascending, without gaps
	UserData    []byte        `json:"user_data"`
}

// segmentMeta is a segment: the postings of the documents [Base, Base+Docs).
type segmentMeta struct {
	File fileMeta `json:"file"`
	Base uint32   `json:"base"`
	Docs uint32   `json:"docs"`
}

func (o *Options) manifest() manifest {
	return manifest{Fingerprint: o.Fingerprint, Fields: o.Fields, RowSize: o.RowSize}
}

// manifestHead begins the line that holds the checksum of what follows it. The
// number is the version of everything in the folder.
const manifestHead = "rnixfs postings 3 "

func (m *manifest) encode() ([]byte, error) {
	body, err := json.Marshal(m)
	if err != nil {
		return nil, fmt.Errorf("postings: manifest: %w", err)
	}
	return fmt.Appendf(nil, "%s%08x\n%s\n", manifestHead, sum(0, append(body, '\n')), body), nil
}

func readManifest(dir string) (*manifest, error) {
	data, err := os.ReadFile(path(dir, manifestName))
	if err != nil {
		return nil, fmt.Errorf("postings: %w", err)
	}
	return decodeManifest(data)
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
	if err := m.Rows.check("rows"); err != nil {
		return err
	}
	if m.RowSize < 0 || m.Rows.Size != int64(m.Docs)*int64(m.RowSize) {
		return damaged("manifest: rows")
	}
	next := uint64(0)
	for _, s := range m.Segments {
		if err := s.File.check("segment"); err != nil {
			return err
		}
		if s.Docs == 0 || s.File.Size == 0 || uint64(s.Base) != next {
			return damaged("manifest: segment %s", s.File.Name)
		}
		next += uint64(s.Docs)
	}
	if next != uint64(m.Docs) {
		return damaged("manifest: segments of %d docs for %d", next, m.Docs)
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

// madeBy reports whether an index was made as the options say.
func (m *manifest) madeBy(opts *Options) bool {
	return m.Fingerprint == opts.Fingerprint && m.RowSize == opts.RowSize && slices.Equal(m.Fields, opts.Fields)
}

// files are the names of all files.
func (m *manifest) files() map[string]bool {
	out := map[string]bool{m.Rows.Name: true}
	for _, s := range m.Segments {
		out[s.File.Name] = true
	}
	return out
}
