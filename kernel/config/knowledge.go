package config

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"path"
	"reflect"
	"slices"
	"strings"

	"github.com/rnixfs/rnixfs/kernel/yamldoc"
)

// KnowledgeRow is a collection of documents: manual pages, by section, or a folder.
type KnowledgeRow struct {
	Man  []int  `yaml:"man"`
	Path string `yaml:"path"` // where the pages are; "" is the system's folder
	Dir  string `yaml:"dir"`
	Glob string `yaml:"glob"` // of the files of Dir; "" is Markdown and text
}

// Name is what the collection is called.
func (r KnowledgeRow) Name() string { return cmp.Or(r.Dir, r.Path, "man") }

// Folder is where the documents are, "." for the pages of the system. ~ stands for the
// home directory.
func (r KnowledgeRow) Folder(home string) string {
	dir := cmp.Or(r.Dir, r.Path)
	if rest, ok := strings.CutPrefix(dir, "~"); ok {
		dir = home + rest
	}
	return path.Clean(dir)
}

const (
	maxCollections = 32
	maxStars       = 4 // ** of a glob: each multiplies the ways to match
)

// collections checks the rows of knowledge.
func collections(value any) (at, reason string) {
	rows := value.([]KnowledgeRow)
	if len(rows) > maxCollections {
		return "", fmt.Sprintf("must be at most %d collections", maxCollections)
	}
	for i, r := range rows {
		at := fmt.Sprintf("[%d]", i)
		folder := cmp.Or(r.Dir, r.Path, "/")
		_, bad := path.Match(r.Glob, "")
		switch {
		case len(r.Man) > 0 && r.Dir != "":
			return at, "has man and dir; it must have one of them, not both"
		case len(r.Man) == 0 && r.Dir == "":
			return at, "must have man (a list of sections) or dir"
		case r.Dir != "" && r.Path != "" || r.Glob != "" && r.Dir == "":
			return at, "has path beside dir, or glob beside man"
		case slices.ContainsFunc(r.Man, func(n int) bool { return n < 1 || n > 9 }):
			return at + ".man", "must be sections from 1 to 9"
		case folder[0] != '/' && folder != "~" && !strings.HasPrefix(folder, "~/"):
			return at, "must name a folder that begins with / or ~/"
		case bad != nil || strings.Count(r.Glob, "**") > maxStars:
			return at + ".glob", "must be a pattern of *, ?, [a-z] and at most four **"
		case slices.ContainsFunc(rows[:i], func(o KnowledgeRow) bool { return o.Name() == r.Name() }):
			return at, "is the same folder as a row before"
		}
		for _, text := range []string{folder, r.Glob} {
			if _, reason := line(4096)(text); reason != "" {
				return at, reason
			}
		}
	}
	return "", ""
}

// AddKnowledge enters a collection into the text of a memory.yaml, in a line of its own:
// every other line stays. A text that has a mistake, or no place for a line, is an error
// that says what to do.
func AddKnowledge(text []byte, row KnowledgeRow) ([]byte, error) {
	item := "- " + inYAML(reflect.ValueOf(row)) + "\n"
	return editKnowledge(text, "enter by hand, below knowledge:\n"+item, func(doc *yamldoc.Document, rows []KnowledgeRow, lines [][]byte) ([]byte, []KnowledgeRow, error) {
		if slices.ContainsFunc(rows, func(r KnowledgeRow) bool { return r.Name() == row.Name() }) {
			return nil, nil, errors.New("it is there already")
		}
		want := slices.Concat([]KnowledgeRow{row}, rows)
		if at, reason := collections(want); reason != "" {
			return nil, nil, errors.New("the collection" + strings.TrimPrefix(at, "[0]") + " " + reason)
		}
		if !doc.Has("knowledge") {
			return slices.Concat(bytes.Join(lines, nil), []byte("knowledge:\n  "+item)), want, nil
		}
		at, indent := doc.At("knowledge", "").Line, "  "
		if first := lines[at-1]; len(rows) == 0 {
			lines[at-1] = append(bytes.TrimRight(bytes.Replace(first, []byte("[]"), nil, 1), " \n"), '\n')
			at++
		} else {
			indent = string(first[:max(bytes.IndexByte(first, '-'), 0)])
		}
		return insertLines(bytes.Join(lines, nil), at, indent, []string{item}), want, nil
	})
}

// RemoveKnowledge takes a collection out of the text of a memory.yaml, as AddKnowledge
// enters one.
func RemoveKnowledge(text []byte, name string) ([]byte, error) {
	return editKnowledge(text, "take it out by hand", func(doc *yamldoc.Document, rows []KnowledgeRow, lines [][]byte) ([]byte, []KnowledgeRow, error) {
		i := slices.IndexFunc(rows, func(r KnowledgeRow) bool { return r.Name() == name })
		if i < 0 {
			return nil, nil, errors.New("no collection has that name; rnixfs knowledge list shows them")
		}
		from := doc.At(fmt.Sprintf("knowledge[%d]", i), "").Line - 1
		depth := func(line []byte) int { return len(line) - len(bytes.TrimLeft(line, " ")) }
		to := from + 1
		for to < len(lines) && len(bytes.TrimSpace(lines[to])) > 0 && depth(lines[to]) > depth(lines[from]) {
			to++
		}
		head := []byte("knowledge:")
		if at := slices.IndexFunc(lines[:from], func(line []byte) bool { return bytes.HasPrefix(line, head) }); at >= 0 && len(rows) == 1 {
			lines[at] = slices.Concat(head, []byte(" []"), lines[at][len(head):])
		}
		return bytes.Join(slices.Delete(lines, from, to), nil), slices.Delete(slices.Clone(rows), i, i+1), nil
	})
}

// editKnowledge changes the rows of knowledge in a text, line by line, and returns it if
// it says then what is wanted, and else says what is to be done by hand.
func editKnowledge(text []byte, byHand string, change func(*yamldoc.Document, []KnowledgeRow, [][]byte) ([]byte, []KnowledgeRow, error)) ([]byte, error) {
	if len(text) > 0 && text[len(text)-1] != '\n' {
		text = append(bytes.Clone(text), '\n')
	}
	want := Default()
	if _, problems, _ := decode(text, &want, true); len(problems) > 0 {
		return nil, fmt.Errorf("it has a mistake, to be mended first: %w", problems[0])
	}
	doc, _ := yamldoc.Parse(text)
	out, rows, err := change(doc, want.Knowledge, bytes.SplitAfter(text, []byte("\n")))
	if err != nil {
		return nil, err
	}
	want.Knowledge = rows
	after := Default()
	if _, problems, _ := decode(out, &after, true); len(problems) > 0 || !after.Equal(want) {
		return nil, fmt.Errorf("there is no line of its own for it; %s", strings.TrimSpace(byHand))
	}
	return out, nil
}
