package file

import (
	"bytes"
	"encoding/json"
	"strconv"
)

// liteRecord is what opening needs of every journal line.
type liteRecord struct {
	seq   int64
	lost  int64 // of a line that stands in for lost ones: how many
	keyed bool
	steps []liteStep
}

// first is the number of the first change that the line stands for.
func (l *liteRecord) first() int64 { return l.seq - max(l.lost, 1) + 1 }

type liteStep struct {
	action, file, from, hash string
	gone                     bool
}

// scanLine reads a line without building the entries in it, several times as
// fast as encoding/json. It accepts some lines that are not JSON; whoever needs
// more of a line decodes it.
func scanLine(line []byte) (liteRecord, error) {
	var r liteRecord
	if bytes.IndexByte(line, 0) >= 0 { // a disk's, in no text
		return r, errRecord
	}
	s := jsonScanner{b: line}
	s.object(func(key string) {
		switch key {
		case "seq":
			r.seq, _ = strconv.ParseInt(string(s.skip()), 10, 64)
		case "lost":
			r.lost, _ = strconv.ParseInt(string(s.skip()), 10, 64)
		case "idempotency_key":
			s.skip()
			r.keyed = true
		case "steps":
			s.array(func() { r.steps = append(r.steps, s.step()) })
		default:
			s.skip()
		}
	})
	if s.bad || s.at != len(line) || r.seq <= 0 {
		return r, errRecord
	}
	for _, st := range r.steps {
		if !isEntryName(st.file) || bytes.ContainsRune([]byte(st.file), '/') {
			return r, errRecord
		}
	}
	return r, nil
}

func (s *jsonScanner) step() liteStep {
	st := liteStep{gone: true}
	s.object(func(key string) {
		switch key {
		case "action":
			st.action = s.text()
		case "file":
			st.file = s.text()
		case "from":
			st.from = s.text()
		case "hash":
			st.hash = s.text()
		case "after":
			st.gone = bytes.Equal(s.skip(), []byte("null"))
		default:
			s.skip()
		}
	})
	return st
}

// jsonScanner walks compact JSON.
type jsonScanner struct {
	b   []byte
	at  int
	bad bool
}

func (s *jsonScanner) take(c byte) bool {
	if s.at < len(s.b) && s.b[s.at] == c {
		s.at++
		return true
	}
	return false
}

func (s *jsonScanner) object(member func(key string)) {
	if !s.take('{') {
		s.bad = true
		return
	}
	for !s.bad && !s.take('}') {
		key := s.text()
		s.bad = s.bad || !s.take(':')
		if s.bad {
			return
		}
		member(key)
		if !s.take(',') && (s.at >= len(s.b) || s.b[s.at] != '}') {
			s.bad = true
		}
	}
}

func (s *jsonScanner) array(element func()) {
	if !s.take('[') {
		s.bad = true
		return
	}
	for !s.bad && !s.take(']') {
		element()
		if !s.take(',') && (s.at >= len(s.b) || s.b[s.at] != ']') {
			s.bad = true
		}
	}
}

func (s *jsonScanner) text() string {
	raw := s.skip()
	if len(raw) < 2 || raw[0] != '"' {
		s.bad = true
		return ""
	}
	if bytes.IndexByte(raw, '\\') < 0 {
		return string(raw[1 : len(raw)-1])
	}
	var v string
	if json.Unmarshal(raw, &v) != nil {
		s.bad = true
	}
	return v
}

// skip passes one value and returns its bytes.
func (s *jsonScanner) skip() []byte {
	start, depth := s.at, 0
	for s.at < len(s.b) {
		switch c := s.b[s.at]; c {
		case '"':
			s.str()
		case '{', '[':
			depth++
			s.at++
		case '}', ']':
			if depth == 0 {
				return s.value(start)
			}
			depth--
			s.at++
		case ',':
			if depth == 0 {
				return s.value(start)
			}
			s.at++
		default:
			if depth == 0 && c == ':' {
				s.bad = true
				return nil
			}
			s.at++
			continue
		}
		if depth == 0 {
			return s.value(start)
		}
		if s.bad {
			return nil
		}
	}
	return s.value(start)
}

func (s *jsonScanner) value(start int) []byte {
	s.bad = s.bad || s.at == start
	return s.b[start:s.at]
}

func (s *jsonScanner) str() {
	for i := s.at + 1; ; {
		n := bytes.IndexByte(s.b[i:], '"')
		if n < 0 {
			s.bad, s.at = true, len(s.b)
			return
		}
		i += n + 1
		slashes := 0
		for j := i - 2; j > s.at && s.b[j] == '\\'; j-- {
			slashes++
		}
		if slashes%2 == 0 {
			s.at = i
			return
		}
	}
}
