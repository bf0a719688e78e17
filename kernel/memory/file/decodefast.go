package file

import (
	"bytes"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/yamldoc"
)

// decodeFast reads a file in exactly the form that encode writes, without maps.
// It returns nil for any other, which decodeYAML then judges; for a file that it
// reads, decodeYAML gives the same entry.
func decodeFast(data []byte) *memory.Entry {
	if !bytes.HasPrefix(data, []byte("---\nid: ")) || !utf8.Valid(data) {
		return nil
	}
	text := string(data)
	end := strings.Index(text, "\n---\n")
	if end < 0 {
		return nil
	}
	e := &memory.Entry{Importance: -1, Content: strings.TrimSuffix(text[end+5:], "\n")}
	r := fieldReader{lines: text[4 : end+1]}
	r.text("id: ", &e.ID)
	r.text("key: ", &e.Key)
	if v, ok := r.next("key_stale: "); ok {
		r.bad = r.bad || v != "true"
		e.KeyStale = true
	}
	r.text("category: ", &e.Category)
	r.text("type: ", &e.Type)
	r.list("tags: ", &e.Tags)
	if v, ok := r.next("importance: "); ok {
		f, err := strconv.ParseFloat(v, 64)
		r.bad = r.bad || err != nil || !(f >= 0 && f <= 1) || !isDecimal(v)
		e.Importance = f
	}
	if v, ok := r.next("pinned: "); ok {
		r.bad = r.bad || v != "true"
		e.Pinned = true
	}
	r.time("created: ", &e.Created)
	r.time("updated: ", &e.Updated)
	var expires time.Time
	if r.time("expires: ", &expires) {
		e.Expires = &expires
	}
	e.Revision = int64(r.number("revision: ", maxRevision))
	if v, ok := r.next("source:"); ok {
		r.bad = r.bad || v != ""
		r.source(&e.Source)
	}
	if r.bad || r.lines != "" || e.ID == "" || !validID(e.ID) || e.Key == "" || utf8.RuneCountInString(e.Key) > memory.MaxKeyRunes || strings.Contains(e.Key, "\x00") ||
		e.Importance < 0 || e.Created.IsZero() || e.Updated.IsZero() || e.Revision == 0 {
		return nil
	}
	return e
}

// fieldReader takes known lines off the front matter, in their order.
type fieldReader struct {
	lines string
	bad   bool
}

func (r *fieldReader) next(name string) (string, bool) {
	if !strings.HasPrefix(r.lines, name) {
		return "", false
	}
	line, rest, _ := strings.Cut(r.lines[len(name):], "\n")
	r.lines = rest
	return line, true
}

func (r *fieldReader) text(name string, to *string) {
	if v, ok := r.next(name); ok {
		*to = r.word(v)
		r.bad = r.bad || *to == ""
	}
}

// word reads what yamldoc.Quote writes.
func (r *fieldReader) word(v string) string {
	s := v
	if strings.HasPrefix(v, `"`) {
		if len(v) < 2 || strings.Contains(v, `\`) || strings.Count(v, `"`) != 2 || v[len(v)-1] != '"' {
			r.bad = true
			return ""
		}
		s = v[1 : len(v)-1]
	}
	if yamldoc.Quote(s) != v {
		r.bad = true
	}
	return s
}

func (r *fieldReader) list(name string, to *[]string) {
	v, ok := r.next(name)
	if !ok {
		return
	}
	if len(v) < 3 || v[0] != '[' || v[len(v)-1] != ']' || strings.Contains(v, `"`) {
		r.bad = true
		return
	}
	for s := range strings.SplitSeq(v[1:len(v)-1], ", ") {
		*to = append(*to, r.word(s))
	}
}

func (r *fieldReader) time(name string, to *time.Time) bool {
	v, ok := r.next(name)
	if !ok {
		return false
	}
	t, err := time.Parse(time.RFC3339Nano, v)
	r.bad = r.bad || err != nil || t.Year() < 1 || !strings.HasSuffix(v, "Z") || strings.Contains(v, ",")
	*to = t.UTC()
	return true
}

func (r *fieldReader) number(name string, limit uint64) uint64 {
	v, ok := r.next(name)
	if !ok {
		return 0
	}
	n, err := strconv.ParseUint(v, 10, 64)
	r.bad = r.bad || err != nil || n > limit || strconv.FormatUint(n, 10) != v
	return n
}

func (r *fieldReader) source(s *memory.Source) {
	before := len(r.lines)
	var trust string
	r.text("  trust: ", &trust)
	s.Trust = memory.Trust(trust)
	r.text("  road: ", &s.Road)
	if strings.HasPrefix(r.lines, "  uid: ") {
		uid := uint32(r.number("  uid: ", 1<<32-1))
		s.UID = &uid
	}
	s.PID = int(r.number("  pid: ", 1<<31-1))
	r.text("  exe: ", &s.Exe)
	r.text("  session: ", &s.Session)
	r.text("  cgroup: ", &s.Cgroup)
	r.text("  process: ", &s.Process)
	r.list("  turns: ", &s.Turns)
	r.text("  job: ", &s.Job)
	r.bad = r.bad || len(r.lines) == before
}

// isDecimal reports whether s is digits with at most one point within.
func isDecimal(s string) bool {
	whole, part, point := strings.Cut(s, ".")
	digits := func(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }
	return digits(whole) && (len(whole) == 1 || whole[0] != '0') && (!point || digits(part))
}
