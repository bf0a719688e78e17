package main_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestCompatibility runs what docs/compatibility.md says: the commands of a section in
// order, over a mount that has the section's memory.yaml. A row whose first cell ends in
// "(refused)" has a command that fails.
func TestCompatibility(t *testing.T) {
	raw, err := os.ReadFile(filepath.FromSlash("../../docs/compatibility.md"))
	if err != nil {
		t.Fatal(err)
	}
	sections := strings.Split(string(raw), "\n## ")[1:]
	if len(sections) < 5 {
		t.Fatalf("%d sections", len(sections))
	}
	for _, section := range sections {
		title, body, _ := strings.Cut(section, "\n")
		t.Run(title, func(t *testing.T) {
			m := newFolders(t, "")
			if _, config, ok := strings.Cut(body, "```yaml\n"); ok {
				config, _, _ = strings.Cut(config, "```")
				m.must("mkdir -p ~/.config/rnix")
				if err := os.WriteFile(filepath.Join(m.dir, "home/.config/rnix/memory.yaml"), []byte(config), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			needFuse(t)
			m.mount()
			t.Cleanup(func() { unmount(m.mnt) })
			ran := 0
			for line := range strings.Lines(body) {
				cells := tableCells(line)
				if len(cells) != 4 || cells[0] == "what it does" || strings.HasPrefix(cells[0], "---") {
					continue
				}
				command, isCode := strings.CutPrefix(cells[1], "`")
				if !isCode {
					continue
				}
				if _, err := exec.LookPath("curl"); err != nil && strings.HasPrefix(command, "curl ") {
					continue
				}
				ran++
				command = strings.ReplaceAll(strings.TrimSuffix(command, "`"), "/dev/memory", m.mnt)
				out, rc := m.run(m.work, "", "bash", "-o", "pipefail", "-c", command)
				if refused := strings.HasSuffix(cells[0], "(refused)"); (rc != 0) != refused {
					t.Errorf("%s: %s\nexit %d: %s", cells[0], command, rc, out)
				}
			}
			if ran == 0 {
				t.Error("no command was run")
			}
		})
	}
}

// tableCells are the cells of a table's row; \| in one stands for a bar.
func tableCells(line string) (cells []string) {
	line, ok := strings.CutPrefix(strings.TrimSpace(line), "|")
	if !ok {
		return nil
	}
	for cell := range strings.SplitSeq(strings.ReplaceAll(strings.TrimSuffix(line, "|"), `\|`, "\x00"), "|") {
		cells = append(cells, strings.TrimSpace(strings.ReplaceAll(cell, "\x00", "|")))
	}
	return cells
}
