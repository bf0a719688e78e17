package file

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// journalRemains reads the journal through.
func (p *Provider) journalRemains() (*remains, error) {
	data, err := readWhole(p.journal)
	if err != nil {
		return nil, err
	}
	return readRemains(data[:min(p.mark.Journal, int64(len(data)))]), nil
}

// continues reports whether the journal has every change up to the last.
func (p *Provider) continues(m *remains) bool {
	return m.whole() && (len(m.good) == 0 || m.good[len(m.good)-1].seq == p.mark.Done)
}

func (c *checker) journal() error {
	m, err := c.p.journalRemains()
	if err != nil {
		return err
	}
	c.live = m
	if !c.p.continues(m) {
		reason := m.damage()
		if m.whole() {
			reason = "its last lines are missing"
		}
		c.add(journalName, "torn_journal", reason,
			runRepair+": the lines that can be read are kept, the damaged journal is set aside, the entries stay")
	}
	return nil
}

// mended begins what is said of a journal that was put together anew.
const mended = "the journal as it was before it was mended: "

// aside says of a journal that was set aside what was damaged, and what of it is
// missing from the history since.
func (c *checker) aside(name string) error {
	const mend = "look at it, and remove it when there is nothing in it that you want"
	f, err := c.p.fs.Open(name, unix.O_RDONLY, 0)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	var data []byte
	if err == nil {
		data, err = readWhole(f)
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		c.add(name, "torn_journal", "what stood in the journal's place, set aside: it can't be read", mend)
		return nil //nolint:nilerr // that is what the problem says
	}
	m := readRemains(data)
	lost, err := c.lost(name)
	if err != nil {
		return err
	}
	if others := c.onlyIn(m); others > 0 {
		lost = append(lost, fmt.Sprintf("%s that can be read in it", count(others, "change")))
	}
	lacks := "nothing"
	if len(lost) > 0 {
		lacks = strings.Join(lost, ", ")
	}
	c.add(name, "torn_journal", mended+m.damage()+"; the history lacks "+lacks, mend)
	return nil
}

// lost says which changes were lost when a journal was set aside.
func (c *checker) lost(name string) ([]string, error) {
	var out []string
	for _, l := range c.live.good {
		if l.lost == 0 {
			continue
		}
		rec, err := parseRecord(l.line)
		if err != nil {
			return nil, err
		}
		switch {
		case rec.Kept != name:
		case rec.Lost == 1:
			out = append(out, fmt.Sprintf("change %d", rec.Seq))
		default:
			out = append(out, fmt.Sprintf("changes %d to %d", rec.Seq-rec.Lost+1, rec.Seq))
		}
	}
	return out, nil
}

// onlyIn counts the changes of another journal that this one knows nothing of.
func (c *checker) onlyIn(m *remains) int {
	here := map[int64]bool{}
	for _, l := range c.live.good {
		here[l.seq] = l.lost == 0
	}
	n := 0
	for _, l := range m.good {
		if l.lost == 0 && !here[l.seq] {
			n++
		}
	}
	return n
}

// maxNamed is how many damaged places are named.
const maxNamed = 8

// damage says what is wrong with the lines.
func (m *remains) damage() string {
	switch {
	case m.lines == 0:
		return "it is empty"
	case len(m.bad) == 0 && m.whole():
		return "each of its lines can be read"
	case len(m.bad) == 0:
		return "its lines can be read, but some are missing or out of order"
	case len(m.good) == 0:
		return "none of its lines can be read"
	}
	var places []string
	for i := 0; i < len(m.bad); {
		n := i
		for n+1 < len(m.bad) && m.bad[n+1] == m.bad[n]+1 {
			n++
		}
		place := strconv.Itoa(m.bad[i])
		if n > i {
			place += "-" + strconv.Itoa(m.bad[n])
		}
		places = append(places, place)
		i = n + 1
	}
	if len(places) > maxNamed {
		places = append(places[:maxNamed], "...")
	}
	if len(m.bad) == 1 {
		return fmt.Sprintf("line %s of %d is damaged", places[0], m.lines)
	}
	return fmt.Sprintf("%d of %d lines are damaged (%s)", len(m.bad), m.lines, strings.Join(places, ", "))
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
