package vfs

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/bits"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

// toolRoot is where a model sees the tree: the entries of the project, and beside them a
// folder for each other scope.
const toolRoot = "/memories"

// maxToolLines is the most that a number of six digits can count.
const maxToolLines = 999_999

// ToolCommand is one command of Anthropic's memory tool, memory_20250818.
type ToolCommand struct {
	Command    string `json:"command"`
	Path       string `json:"path,omitempty"`
	ViewRange  []int  `json:"view_range,omitempty"`
	FileText   string `json:"file_text,omitempty"`
	OldStr     string `json:"old_str,omitempty"`
	NewStr     string `json:"new_str,omitempty"`
	InsertLine int    `json:"insert_line,omitempty"`
	InsertText string `json:"insert_text,omitempty"`
	OldPath    string `json:"old_path,omitempty"`
	NewPath    string `json:"new_path,omitempty"`
}

// Tool runs a command of the memory tool. What it answers, and says of its own failures,
// are the words of the reference implementation (anthropic-sdk-python,
// lib/tools/_beta_builtin_memory_tool.py), which models know.
func (m *Memories) Tool(ctx context.Context, caller memory.Caller, c ToolCommand) (string, error) {
	run := map[string]func(context.Context, memory.Caller, ToolCommand) (string, error){
		"view": m.toolView, "create": m.toolCreate, "str_replace": m.toolReplace,
		"insert": m.toolInsert, "delete": m.toolDelete, "rename": m.toolRename,
	}[c.Command]
	if run == nil {
		return "", toolError("unknown command: %s", memory.QuoteName(c.Command))
	}
	return run(ctx, caller, c)
}

func toolError(format string, args ...any) error {
	return memory.Errorf(memory.KindInvalid, "", format, args...)
}

// toolPath is a path of a command with what lies there.
type toolPath struct {
	named  string // as the command names it
	folder string // of the scope
	path   string // below that
	list   Listing
}

func (m *Memories) toolPath(ctx context.Context, caller memory.Caller, named string) (p toolPath, err error) {
	rest, ok := strings.CutPrefix(named, toolRoot)
	if !ok {
		return p, toolError("Path must start with %s, got: %s", toolRoot, named)
	}
	p = toolPath{named: named, folder: folders[0], path: path.Clean(strings.TrimLeft(rest, "/"))}
	if p.path == ".." || strings.HasPrefix(p.path, "../") {
		return p, toolError("Path %s would escape %s directory", named, toolRoot)
	}
	if first, below, _ := strings.Cut(p.path, "/"); slices.Contains(folders, first) {
		p.folder, p.path = first, below
	}
	if p.path == "." {
		p.path = ""
	}
	p.list, err = m.List(ctx, caller, p.folder)
	return p, err
}

func (p toolPath) isFolder() bool { return p.path == "" || p.list.HasFolder(p.path) }

func (p toolPath) taken() bool { return p.isFolder() || p.list.File(p.path) != nil }

// inFile refuses a path below a file.
func (p toolPath) inFile() error {
	for dir := path.Dir(p.path); dir != "."; dir = path.Dir(dir) {
		if p.list.File(dir) != nil {
			return toolError("%s lies in a file", p.named)
		}
	}
	return nil
}

// toolText returns the entry of a file.
func (m *Memories) toolText(ctx context.Context, caller memory.Caller, named string) (toolPath, *memory.Entry, error) {
	p, err := m.toolPath(ctx, caller, named)
	if err != nil {
		return p, nil, err
	}
	e := p.list.File(p.path)
	switch {
	case e == nil && p.isFolder():
		err = toolError("The path %s is not a file.", named)
	case e == nil:
		err = toolError("The path %s does not exist. Please provide a valid path.", named)
	}
	return p, e, err
}

func (m *Memories) toolView(ctx context.Context, caller memory.Caller, c ToolCommand) (string, error) {
	p, e, err := m.toolText(ctx, caller, c.Path)
	if e == nil && p.list.folder != "" && p.isFolder() {
		return m.toolList(ctx, caller, p)
	}
	if err != nil {
		return "", err
	}
	lines, from := strings.Split(e.Content, "\n"), 0
	if len(lines) > maxToolLines {
		return "", toolError("File %s exceeds maximum line limit of 999,999 lines.", c.Path)
	}
	to := len(lines)
	if r := c.ViewRange; len(r) == 2 {
		from = max(r[0], 1) - 1
		if from >= to || r[1] != -1 && r[1] <= from {
			return "", toolError("Invalid `view_range` parameter: [%d, %d]. It should be within the range [1, %d], and not end before it begins.", r[0], r[1], to)
		}
		if r[1] != -1 {
			to = min(r[1], to)
		}
	}
	return "Here's the content of " + c.Path + " with line numbers:\n" + numbered(lines, from, to), nil
}

func numbered(lines []string, from, to int) string {
	var shown []string
	for i := from; i < to; i++ {
		shown = append(shown, fmt.Sprintf("%6d\t%s", i+1, lines[i]))
	}
	return strings.Join(shown, "\n")
}

// toolList shows what lies in a folder, and in the folders in it.
func (m *Memories) toolList(ctx context.Context, caller memory.Caller, p toolPath) (string, error) {
	sizes := map[string]int{"": 0}
	add := func(file string, size int) {
		sizes[""] += size
		parts := strings.Split(file, "/")
		for i := range min(len(parts), 2) {
			name := strings.Join(parts[:i+1], "/")
			if i+1 < len(parts) {
				name += "/"
			}
			sizes[name] += size
		}
	}
	for file, e := range p.list.Below(p.path) {
		add(strings.TrimPrefix(strings.TrimPrefix(file, p.path), "/"), len(e.Content))
	}
	if p.folder == folders[0] && p.path == "" {
		for _, folder := range folders[1:] {
			sizes[folder+"/"] = 0
			list, err := m.List(ctx, caller, folder)
			if err != nil && memory.KindOf(err) != memory.KindInvalid { // a session may be unknown
				return "", err
			}
			for file, e := range list.Below("") {
				add(folder+"/"+file, len(e.Content))
			}
		}
	}
	shown := []string{"Here're the files and directories up to 2 levels deep in " + p.named + ", excluding hidden items:"}
	// A folder comes before what is in it, and both where the folder's name says.
	for _, name := range slices.SortedFunc(maps.Keys(sizes), func(a, b string) int {
		return slices.Compare(strings.Split(strings.TrimSuffix(a, "/"), "/"), strings.Split(strings.TrimSuffix(b, "/"), "/"))
	}) {
		at := p.named
		if name != "" {
			at += "/" + name
		}
		shown = append(shown, toolSize(sizes[name])+"\t"+at)
	}
	return strings.Join(shown, "\n"), nil
}

func toolSize(n int) string {
	unit := min(max(bits.Len(uint(n))-1, 0)/10, 3)
	size := float64(n) / float64(int(1)<<(10*unit))
	if size == float64(int(size)) {
		return strconv.Itoa(int(size)) + "BKMG"[unit:unit+1]
	}
	return strconv.FormatFloat(size, 'f', 1, 64) + "BKMG"[unit:unit+1]
}

func (m *Memories) toolCreate(ctx context.Context, caller memory.Caller, c ToolCommand) (string, error) {
	p, err := m.toolPath(ctx, caller, c.Path)
	if err == nil && p.taken() {
		err = toolError("File %s already exists", c.Path)
	}
	if err == nil {
		err = p.inFile()
	}
	if err == nil {
		_, err = m.Put(ctx, caller, p.folder, p.path, c.FileText, Nothing)
	}
	if memory.KindOf(err) == memory.KindExists {
		err = toolError("File %s already exists", c.Path)
	}
	return "File created successfully at: " + c.Path, err
}

func (m *Memories) toolReplace(ctx context.Context, caller memory.Caller, c ToolCommand) (string, error) {
	p, e, err := m.toolText(ctx, caller, c.Path)
	if err != nil {
		return "", err
	}
	at := strings.Index(e.Content, c.OldStr)
	if at < 0 || c.OldStr == "" {
		return "", toolError("No replacement was performed, old_str `%s` did not appear verbatim in %s.", c.OldStr, c.Path)
	}
	if strings.Count(e.Content, c.OldStr) > 1 {
		var lines []string
		for i := range e.Content {
			if strings.HasPrefix(e.Content[i:], c.OldStr) {
				lines = append(lines, strconv.Itoa(strings.Count(e.Content[:i], "\n")+1))
			}
		}
		return "", toolError("No replacement was performed. Multiple occurrences of old_str `%s` in lines: %s. Please ensure it is unique", c.OldStr, strings.Join(lines, ", "))
	}
	text := e.Content[:at] + c.NewStr + e.Content[at+len(c.OldStr):]
	if _, err := m.Put(ctx, caller, p.folder, p.path, text, e.Revision); err != nil {
		return "", err
	}
	line, lines := strings.Count(e.Content[:at], "\n"), strings.Split(text, "\n")
	return "The memory file has been edited. Here is the snippet showing the change (with line numbers):\n" +
		numbered(lines, max(line-2, 0), min(line+3, len(lines))), nil
}

func (m *Memories) toolInsert(ctx context.Context, caller memory.Caller, c ToolCommand) (string, error) {
	p, e, err := m.toolText(ctx, caller, c.Path)
	if err != nil {
		return "", err
	}
	lines := strings.Split(strings.TrimSuffix(e.Content, "\n"), "\n")
	if c.InsertLine < 0 || c.InsertLine > len(lines) {
		return "", toolError("Invalid `insert_line` parameter: %d. It should be within the range [0, %d].", c.InsertLine, len(lines))
	}
	lines = slices.Insert(lines, c.InsertLine, strings.TrimRight(c.InsertText, "\n"))
	text := strings.TrimSuffix(strings.Join(lines, "\n"), "\n") + "\n"
	_, err = m.Put(ctx, caller, p.folder, p.path, text, e.Revision)
	return "The file " + c.Path + " has been edited.", err
}

func (m *Memories) toolDelete(ctx context.Context, caller memory.Caller, c ToolCommand) (string, error) {
	p, err := m.toolPath(ctx, caller, c.Path)
	entries := slices.Collect(maps.Values(p.list.Below(p.path)))
	if e := p.list.File(p.path); e != nil {
		entries = []*memory.Entry{e}
	}
	switch {
	case err != nil:
	case p.path == "":
		err = toolError("Cannot delete the %s directory itself", strings.TrimRight(c.Path, "/"))
	case len(entries) == 0:
		err = toolError("The path %s does not exist", c.Path)
	default:
		err = m.Remove(ctx, caller, p.folder, entries...)
	}
	return "Successfully deleted " + c.Path, err
}

// toolRename gives files other paths. In another scope they are other entries.
func (m *Memories) toolRename(ctx context.Context, caller memory.Caller, c ToolCommand) (string, error) {
	from, err := m.toolPath(ctx, caller, c.OldPath)
	to, err2 := m.toolPath(ctx, caller, c.NewPath)
	if err := errors.Join(err, err2); err != nil {
		return "", err
	}
	moved := map[string]*memory.Entry{}
	if e := from.list.File(from.path); e != nil {
		moved[to.path] = e
	} else if from.path != "" {
		for file, e := range from.list.Below(from.path) {
			moved[to.path+strings.TrimPrefix(file, from.path)] = e
		}
	}
	switch {
	case to.taken():
		return "", toolError("The destination %s already exists", c.NewPath)
	case len(moved) == 0:
		return "", toolError("The path %s does not exist", c.OldPath)
	case to.inFile() != nil:
		return "", to.inFile()
	case from.folder == to.folder:
		err = m.Move(ctx, caller, from.folder, moved)
	default:
		for file, e := range moved {
			if _, err = m.Put(ctx, caller, to.folder, file, e.Content, Nothing); err == nil {
				err = m.Remove(ctx, caller, from.folder, e)
			}
			if err != nil {
				break
			}
		}
	}
	return "Successfully renamed " + c.OldPath + " to " + c.NewPath, err
}
