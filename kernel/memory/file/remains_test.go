package file

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// journalOf is lines with these numbers; between them are "x" and the like as they
// are.
func journalOf(parts ...any) string {
	var b strings.Builder
	for _, p := range parts {
		if n, ok := p.(int); ok {
			fmt.Fprintf(&b, `{"seq":%d,"time":"2026-01-02T03:04:05Z","action":"add","used":1,"steps":[{"action":"add","file":"k.md","hash":"x","after":{"id":"i","key":"k","content":"c%d","metadata":{"seq":1}}}]}`+"\n", n, n)
			continue
		}
		b.WriteString(p.(string))
	}
	return b.String()
}

func TestRemains(t *testing.T) {
	line := func(n int) string { return strings.TrimSuffix(journalOf(n), "\n") }
	renumbered := func(was, is int) string {
		return strings.Replace(journalOf(was), fmt.Sprintf(`"seq":%d`, was), fmt.Sprintf(`"seq":%d`, is), 1)
	}
	zeros := strings.Repeat("\x00", 50)
	for _, c := range []struct {
		name, in string
		good     []int64
		bad      []int
		whole    bool
		damage   string
	}{
		{"whole", journalOf(3, 4, 5), []int64{3, 4, 5}, nil, true, ""},
		{"empty", "", nil, nil, true, "it is empty"},
		{"middle", journalOf(1, "{garbage\n", 3), []int64{1, 3}, []int{2}, false, "line 2 of 3 is damaged"},
		{"several", journalOf(1, "x\n", "y\n", 4, "z\n"), []int64{1, 4}, []int{2, 3, 5}, false, "3 of 5 lines are damaged (2-3, 5)"},
		{"all", "x\ny\n", nil, []int{1, 2}, false, "none of its lines can be read"},
		{"gone", journalOf(1, 3), []int64{1, 3}, nil, false, "its lines can be read, but some are missing or out of order"},
		{"torn", journalOf(1, 2) + line(3)[:90], []int64{1, 2}, []int{3}, false, "line 3 of 3 is damaged"},
		{"no last newline", journalOf(1) + line(2), []int64{1, 2}, nil, true, "each of its lines can be read"},
		{"torn and written on", journalOf(1) + line(2)[:90] + journalOf(3), []int64{1, 3}, []int{2}, false, "line 2 of 2 is damaged"},
		{"joined", line(1) + line(2) + "\n" + journalOf(3), []int64{1, 2, 3}, []int{1}, false, "line 1 of 2 is damaged"},
		{"zeros behind", journalOf(1, 2, zeros), []int64{1, 2}, []int{3}, false, "line 3 of 3 is damaged"},
		{"zeros for a newline", line(1) + zeros + journalOf(2), []int64{1, 2}, []int{1}, false, "line 1 of 1 is damaged"},
		{"zeros over a beginning", journalOf(1) + zeros + line(2)[50:] + "\n" + journalOf(3), []int64{1, 3}, []int{2}, false, "line 2 of 3 is damaged"},
		{"twice", journalOf(1, 2, 2, 3), []int64{1, 2, 3}, nil, true, ""},
		{"out of order", journalOf(1, 3, 2, 4), []int64{1, 2, 3, 4}, nil, false, "its lines can be read, but some are missing or out of order"},
		{"last two out of order", journalOf(1, 2, 4, 3), []int64{1, 2, 3, 4}, nil, false, ""},
		{"number too high", journalOf(1, renumbered(2, 92), 3, 4), []int64{1, 3, 4}, []int{2}, false, "line 2 of 4 is damaged"},
		{"number of the line before", journalOf(1, renumbered(2, 1), 3), []int64{1, 3}, []int{2}, false, ""},
		{"number of the line behind", journalOf(1, renumbered(2, 3), 3), []int64{1, 3}, []int{2}, false, ""},
		{"not UTF-8", journalOf(1, strings.Replace(journalOf(2), "c2", "\xff", 1)), []int64{1}, []int{2}, false, ""},
		{"not compact", journalOf(1, strings.ReplaceAll(journalOf(2), `,"`, `, "`), 3), []int64{1, 2, 3}, nil, true, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := readRemains([]byte(c.in))
			var good []int64
			for _, l := range m.good {
				good = append(good, l.seq)
			}
			if !slices.Equal(good, c.good) || !slices.Equal(m.bad, c.bad) || m.whole() != c.whole {
				t.Errorf("good %v, bad %v, whole %t; want %v, %v, %t", good, m.bad, m.whole(), c.good, c.bad, c.whole)
			}
			if c.damage != "" && m.damage() != c.damage {
				t.Errorf("says %q, want %q", m.damage(), c.damage)
			}
		})
	}
}

// FuzzRemains requires of any journal that what is rebuilt of it is one.
func FuzzRemains(f *testing.F) {
	f.Add([]byte(journalOf(1, "x\n", 3)), int64(3))
	f.Add([]byte(journalOf(7, 2, "{", 3)), int64(0))
	f.Add([]byte(`{"seq":4,"time":"2026-11-21T19:21:29Z","action":"lost","used":0,"steps":[],"lost":2}`+"\n"+journalOf(3, 5)), int64(9))
	f.Fuzz(func(t *testing.T, data []byte, end int64) {
		p := &Provider{opts: Options{Clock: time.Now}}
		m := readRemains(data)
		b := rebuilt{p: p, kept: "kept"}
		if err := b.build(m, max(end, 0), nil); err != nil {
			t.Fatal(err)
		}
		x := indexJournal(b.data, 0)
		if x.good != int64(len(b.data)) || x.last < end || !readRemains(b.data).whole() {
			t.Errorf("%q, up to %d: %d of %d bytes are good, last is %d:\n%s", data, end, x.good, len(b.data), x.last, b.data)
		}
	})
}
