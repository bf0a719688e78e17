package rnixfs_test

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/memory/store"
	"github.com/rnixfs/rnixfs/kernel/vfs"
)

func readDoc(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("docs", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestProtocolErrors(t *testing.T) {
	text := readDoc(t, "protocol.md")
	for _, kind := range memory.Kinds() {
		row := "| `" + kind.Code() + "` | " + unix.ErrnoName(vfs.Errno(kind)) + " | "
		if strings.Count(text, row) != 1 {
			t.Errorf("docs/protocol.md does not have one row %q", row)
		}
	}
}

// TestProtocolExamples holds the requests of the examples to JSON, to the
// documented actions and to the documented fields.
func TestProtocolExamples(t *testing.T) {
	text := readDoc(t, "protocol.md")
	seen := map[string]bool{}
	for _, m := range regexp.MustCompile(`echo '(\{.*\})' >`).FindAllStringSubmatch(text, -1) {
		var request map[string]any
		if err := json.Unmarshal([]byte(m[1]), &request); err != nil {
			t.Errorf("%s: %v", m[1], err)
			continue
		}
		for field := range request {
			if !strings.Contains(text, "| `"+field+"` |") && !strings.Contains(text, "`"+field+"`, `") && !strings.Contains(text, ", `"+field+"` |") {
				t.Errorf("%s: the field %s is not documented", m[1], field)
			}
		}
		if action, ok := request["action"].(string); ok {
			seen[action] = true
		}
	}
	for _, action := range store.Actions() {
		if !seen[action] {
			t.Errorf("docs/protocol.md has no example of %s", action)
		}
	}
}

// TestProtocolFields looks for every field of the requests and replies.
func TestProtocolFields(t *testing.T) {
	text := readDoc(t, "protocol.md")
	for _, of := range []reflect.Type{reflect.TypeFor[store.Request](), reflect.TypeFor[store.Reply]()} {
		for _, f := range reflect.VisibleFields(of) {
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			if name != "" && !strings.Contains(text, "`"+name+"`") {
				t.Errorf("docs/protocol.md does not name the field %s of a %s", name, of.Name())
			}
		}
	}
}

// TestPromises: each promise of docs/security.md names a test that keeps it.
func TestPromises(t *testing.T) {
	named := regexp.MustCompile("`(Test\\w+|\\w+\\.txtar)`")
	tests := map[string]bool{}
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		tests[d.Name()] = true
		if err != nil || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		for _, m := range regexp.MustCompile(`(?m)^func (Test\w+)\(`).FindAllStringSubmatch(string(text), -1) {
			tests[m[1]] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"security.md", "compatibility.md"} {
		text := readDoc(t, name)
		for _, m := range named.FindAllStringSubmatch(text, -1) {
			if !tests[m[1]] {
				t.Errorf("%s: there is no test %s", name, m[1])
			}
		}
		for row := range strings.Lines(text) {
			if strings.HasPrefix(row, "| ") && !strings.Contains(row, "| kept by |") && !named.MatchString(row) {
				t.Errorf("%s: no test keeps %q", name, row)
			}
		}
	}
}

// TestWayOfARequest looks for each function that the architecture page names in the
// way of one request, in the file that it names.
func TestWayOfARequest(t *testing.T) {
	row := regexp.MustCompile(`(?m)^    +(?:(\w+)\.)?(\w+) +(kernel/\S+\.go)`)
	rows := row.FindAllStringSubmatch(readDoc(t, "architecture.md"), -1)
	if len(rows) < 10 {
		t.Fatalf("%d functions", len(rows))
	}
	for _, m := range rows {
		text, err := os.ReadFile(m[3])
		if err != nil {
			t.Error(err)
			continue
		}
		head := "func " + m[2] + "("
		if m[1] != "" {
			head = `func \(\w+ \*?` + m[1] + `\) ` + m[2] + `\(`
		} else {
			head = regexp.QuoteMeta(head)
		}
		if !regexp.MustCompile(head).Match(text) {
			t.Errorf("%s has no function %s", m[3], strings.TrimPrefix(m[1]+"."+m[2], "."))
		}
	}
}

// TestLinks looks for the target of every relative link in the documents.
func TestLinks(t *testing.T) {
	files, err := filepath.Glob("docs/*.md")
	if err != nil || len(files) == 0 {
		t.Fatalf("no documents: %v", err)
	}
	files = append(files, "README.md", "CONTRIBUTING.md", "CHANGELOG.md", "deploy/README.md")
	link := regexp.MustCompile(`\]\(([^)#:]+)(#[^)]*)?\)`)
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range link.FindAllStringSubmatch(string(text), -1) {
			if _, err := os.Stat(filepath.Join(filepath.Dir(file), m[1])); err != nil {
				t.Errorf("%s links to %s, which is not there", file, m[1])
			}
		}
	}
}
