package rnixfs_test

import (
	"bytes"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const noticesFile = "cmd/rnixfs/internal/build/THIRD_PARTY_LICENSES"

var updateNotices = flag.Bool("update-notices", false, "write "+noticesFile+" anew")

const noticesHead = `rnixfs is one program with the Go modules below in it, and the standard library of Go,
whose licence is that of golang.org/x/sys. None of them is changed; the source of each is at
https://proxy.golang.org/MODULE/@v/VERSION.zip, and https://pkg.go.dev/MODULE@VERSION shows it.
SQLite, which is in github.com/ncruces/go-sqlite3, is in the public domain.
`

// notice is the name of a file that a binary has to carry.
var notice = regexp.MustCompile(`(?i)^(licen[cs]e|copying|notice|patents|copyright)([.-].*)?$`)

// TestNotices: the program carries the licence of each module and of each folder of one
// that is linked, for every system that is released.
func TestNotices(t *testing.T) {
	owners := map[string][]string{} // by text
	seen := map[string]bool{}
	for _, arch := range []string{"amd64", "arm64"} {
		for dir, of := range linkedFolders(t, arch) {
			if !seen[dir] {
				seen[dir] = true
				collectNotices(t, dir, of, owners)
			}
		}
	}
	texts := make([]string, 0, len(owners))
	for text, of := range owners {
		slices.Sort(of)
		texts = append(texts, strings.Repeat("=", 80)+"\n"+strings.Join(of, "\n")+"\n\n"+text+"\n")
	}
	slices.Sort(texts)
	want := []byte(noticesHead + "\n" + strings.Join(texts, "\n"))
	if *updateNotices {
		if err := os.WriteFile(noticesFile, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := os.ReadFile(noticesFile); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%s is not that of the linked modules (%v): go test . -run TestNotices -update-notices writes it", noticesFile, err)
	}
}

// linkedFolders returns the folders of the packages in the program, up to those of their
// modules, and the modules' names. A module without any licence is a fault.
func linkedFolders(t *testing.T, arch string) map[string]string {
	t.Helper()
	list := exec.Command("go", "list", "-deps", "-f", "{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}}\t{{.Dir}}\t{{$.Dir}}{{end}}{{end}}", "./cmd/rnixfs")
	list.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS=linux", "GOARCH="+arch)
	out, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	folders := map[string]string{}
	for line := range strings.Lines(string(out)) {
		row := strings.Split(strings.TrimSpace(line), "\t")
		if len(row) != 3 {
			continue
		}
		if files, _ := fs.Glob(os.DirFS(row[1]), "*"); !slices.ContainsFunc(files, notice.MatchString) {
			t.Errorf("%s has no licence", row[0])
		}
		for dir := row[2]; strings.HasPrefix(dir, row[1]); dir = filepath.Dir(dir) {
			folders[dir] = row[0] + strings.TrimPrefix(dir, row[1])
		}
	}
	return folders
}

// collectNotices adds the notices in a folder.
func collectNotices(t *testing.T, dir, of string, owners map[string][]string) {
	t.Helper()
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if f.IsDir() || !notice.MatchString(f.Name()) {
			continue
		}
		raw, err := os.ReadFile(filepath.Join(dir, f.Name()))
		if err != nil {
			t.Fatal(err)
		}
		text := strings.TrimSpace(strings.ReplaceAll(string(raw), "\r", ""))
		owners[text] = append(owners[text], fmt.Sprintf("%s (%s)", of, f.Name()))
	}
}
