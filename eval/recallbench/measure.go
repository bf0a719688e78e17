package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/rnixfs/rnixfs/kernel/process"
	"github.com/rnixfs/rnixfs/kernel/recall"
)

type figures struct {
	Turns     int     `json:"turns"`
	RawBytes  int64   `json:"raw_bytes"` // of the contents
	DiskBytes int64   `json:"disk_bytes"`
	IndexMS   float64 `json:"index_ms"`
	PeakBytes int64   `json:"peak_bytes"` // resident, while indexing
	OpenMS    float64 `json:"open_ms"`    // and the first answer
	QueryP50  float64 `json:"query_p50_ms"`
	QueryP99  float64 `json:"query_p99_ms"`
	AddP50    float64 `json:"add_p50_ms"` // a turn, until a search has found it
}

// corpus reads turns back from the file of them, by the offset of their line.
type corpus struct{ f *os.File }

func (c corpus) Turn(_ context.Context, _ string, offset int64) (process.Turn, error) {
	buf := make([]byte, 8<<10)
	n, err := c.f.ReadAt(buf, offset)
	if err != nil && !errors.Is(err, io.EOF) {
		return process.Turn{}, err
	}
	text, _, _ := bytes.Cut(buf[:n], []byte("\n"))
	t, _, err := decode(text)
	return t, err
}

func decode(text []byte) (process.Turn, string, error) {
	var l line
	err := json.Unmarshal(text, &l)
	return process.Turn{Role: l.Role, Content: l.Content, Time: l.Time}, l.Process, err
}

func measure(file, dir, queries string) (fig figures, err error) {
	f, err := os.Open(file)
	if err != nil {
		return fig, err
	}
	defer f.Close()
	ctx := context.Background()
	c, err := recall.OpenConversations(dir, corpus{f}, recall.ConversationOptions{})
	if err != nil {
		return fig, err
	}
	begin := time.Now()
	if err := index(ctx, c, f, &fig); err != nil {
		return fig, errors.Join(err, c.Close())
	}
	fig.IndexMS = since(begin)
	fig.PeakBytes = peak()
	if err := c.Close(); err != nil {
		return fig, err
	}
	if fig.DiskBytes, err = size(dir); err != nil {
		return fig, err
	}
	asked, err := os.ReadFile(queries)
	if err != nil {
		return fig, err
	}
	return fig, ask(ctx, dir, f, strings.Split(strings.TrimSpace(string(asked)), "\n"), &fig)
}

// index adds the turns process by process, as an import does.
func index(ctx context.Context, c *recall.Conversations, f *os.File, fig *figures) error {
	in := bufio.NewReaderSize(f, 1<<20)
	var p process.Conversation
	var turns []recall.StoredTurn
	var pending int64
	add := func() error {
		if len(turns) == 0 {
			return nil
		}
		err := c.Add(ctx, p, turns)
		turns = turns[:0]
		if pending > 32<<20 && err == nil {
			pending = 0
			err = c.Flush()
		}
		return err
	}
	for offset := int64(0); ; {
		text, err := in.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return errors.Join(add(), c.Flush())
		}
		if err != nil {
			return err
		}
		t, uuid, err := decode(text)
		if err != nil {
			return err
		}
		if uuid != p.UUID {
			if err := add(); err != nil {
				return err
			}
			p = process.Conversation{UUID: uuid, Start: t.Time, Agent: "bench"}
		}
		end := offset + int64(len(text))
		turns = append(turns, recall.StoredTurn{Turn: t, Number: len(turns), Offset: offset, End: end})
		offset = end
		fig.Turns++
		fig.RawBytes += int64(len(t.Content))
		pending += int64(len(t.Content))
	}
}

// ask opens the index anew, asks, and adds turns.
func ask(ctx context.Context, dir string, f *os.File, queries []string, fig *figures) error {
	e := recall.New(recall.Options{})
	defer e.Close()
	begin := time.Now()
	c, err := recall.OpenConversations(dir, corpus{f}, recall.ConversationOptions{})
	if err != nil {
		return err
	}
	defer c.Close()
	search := func(text string) (recall.Results, error) {
		return e.Search(ctx, recall.Query{Text: text, Max: 10, Conversations: []*recall.Conversations{c}})
	}
	var took []float64
	for i, q := range queries {
		if i > 0 {
			begin = time.Now()
		}
		if _, err := search(q); err != nil {
			return err
		}
		took = append(took, since(begin))
	}
	fig.OpenMS = took[0]
	fig.QueryP50, fig.QueryP99 = quantile(took[1:], 50), quantile(took[1:], 99)
	took = nil
	p := process.Conversation{UUID: "added", Agent: "bench"}
	for i := range 50 {
		// The text is read from the first line: only its being found counts.
		t := recall.StoredTurn{Turn: process.Turn{Role: process.RoleUser, Content: "a turn about xylo" + word(uint64(i)) + "phone"}, Number: i, End: 1}
		begin := time.Now()
		if err := c.Add(ctx, p, []recall.StoredTurn{t}); err != nil {
			return err
		}
		found, err := search("xylo" + word(uint64(i)) + "phone")
		if err != nil {
			return err
		}
		if len(found.Hits) == 0 {
			return errors.New("a turn that was added is not found")
		}
		took = append(took, since(begin))
	}
	fig.AddP50 = quantile(took, 50)
	return nil
}

func since(t time.Time) float64 { return float64(time.Since(t).Microseconds()) / 1000 }

func quantile(x []float64, percent int) float64 {
	x = slices.Sorted(slices.Values(x))
	return x[len(x)*percent/100]
}

// peak is the most memory that was resident so far (VmHWM, proc_pid_status(5)).
func peak() int64 {
	text, _ := os.ReadFile("/proc/self/status")
	_, rest, _ := strings.Cut(string(text), "VmHWM:")
	kb, _ := strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(strings.SplitN(rest, "\n", 2)[0]), "kB")), 10, 64)
	return kb << 10
}

func size(dir string) (total int64, err error) {
	err = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		fi, err := d.Info()
		if err == nil {
			total += fi.Size()
		}
		return err
	})
	return total, err
}
