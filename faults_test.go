package rnixfs_test

import (
	"strings"
	"testing"
)

// TestFaultsAreFound shows each check a file that breaks it, and one that does
// not: a check that finds nothing looks the same as a house in order.
func TestFaultsAreFound(t *testing.T) {
	ours := func(pkg string) string { return "package p\nimport _ \"" + module + "/" + pkg + "\"\n" }
	lib := func(path string) string { return "package p\nimport _ \"" + path + "\"\n" }
	for _, tc := range []struct {
		name   string
		path   string
		text   string
		faults func(source) []string
		want   string // part of the only fault; "" for none
	}{
		{"memory imports nothing of ours", "kernel/memory/a.go", ours("kernel/memory/file"), importFaults, "may not"},
		{"memory imports no library", "kernel/memory/a.go", lib("golang.org/x/sys/unix"), importFaults, "standard library alone"},
		{"memory imports the standard library", "kernel/memory/a.go", lib("encoding/json"), importFaults, ""},
		{"a test may import across", "kernel/memory/a_test.go", ours("kernel/memory/ram"), importFaults, ""},
		{"providers import memory", "kernel/memory/file/a.go", ours("kernel/memory"), importFaults, ""},
		{"providers do not import recall", "kernel/memory/file/a.go", ours("kernel/recall"), importFaults, "may not"},
		{"providers do not import each other", "kernel/memory/file/a.go", ours("kernel/memory/ram"), importFaults, "may not"},
		{"scanner imports nothing of ours", "kernel/scanner/a.go", ours("kernel/memory"), importFaults, "may not"},
		{"scanner has its own packages", "kernel/scanner/a.go", ours("kernel/scanner/rules"), importFaults, ""},
		{"recall does not import vfs", "kernel/recall/a.go", ours("kernel/vfs"), importFaults, "may not"},
		{"vfs does not import a front end", "kernel/vfs/a.go", ours("kernel/vfs/fuse"), importFaults, "may not"},
		{"vfs does not import a provider", "kernel/vfs/a.go", ours("kernel/memory/file"), importFaults, "may not"},
		{"a front end imports vfs", "kernel/vfs/fuse/a.go", ours("kernel/vfs"), importFaults, ""},
		{"a front end does not import recall", "kernel/vfs/fuse/a.go", ours("kernel/recall"), importFaults, "may not"},
		{"the kernel does not import the command", "kernel/vfs/a.go", ours("cmd/rnixfs/internal/cli"), importFaults, "may not"},
		{"the command wires all", "cmd/rnixfs/internal/daemon/a.go", ours("kernel/memory/file"), importFaults, ""},
		{"the command has its own packages", "cmd/rnixfs/main.go", ours("cmd/rnixfs/internal/cli"), importFaults, ""},
		{"go-fuse has an owner", "kernel/vfs/a.go", lib("github.com/hanwen/go-fuse/v2/fuse"), importFaults, "only kernel/vfs/fuse may"},
		{"go-fuse in its owner", "kernel/vfs/fuse/a.go", lib("github.com/hanwen/go-fuse/v2/fuse"), importFaults, ""},
		{"owners bind tests too", "kernel/recall/a_test.go", lib("gopkg.in/yaml.v3"), importFaults, "only kernel/yamldoc may"},
		{"a test library", "kernel/recall/a.go", lib("github.com/google/go-cmp/cmp"), importFaults, "only tests may"},
		{"a new package", "kernel/new/a.go", "package new\n", importFaults, "in no layer"},
		{"a bare function", "a.go", "package p\nfunc F() {}\n", commentFaults, "a.go:2: F has no comment"},
		{"a bare method", "a.go", "package p\nfunc (t *T[K]) F() {}\n", commentFaults, "F has no comment"},
		{"a method of a hidden type", "a.go", "package p\nfunc (t *t) F() {}\n", commentFaults, ""},
		{"a bare type", "a.go", "package p\ntype T int\n", commentFaults, "T has no comment"},
		{"a bare constant in a group", "a.go", "package p\nconst (\n\t// A is one.\n\tA = 1\n\tB = 2\n)\n", commentFaults, "a.go:5: B has no comment"},
		{"a group with a comment", "a.go", "package p\n// The numbers.\nconst (\n\tA = 1\n\tB = 2\n)\n", commentFaults, ""},
		{"code for one system", "kernel/vfs/a.go", "package p\n// As in aiOS.\n", systemFaults, "names another"},
		{"what takes in its files", "kernel/memory/exchange/a.go", "package p\n// As in aiOS.\n", systemFaults, ""},
		{"a long file", "a.go", "package p\n" + strings.Repeat("\n", maxLines), lengthFaults, "has 601 lines"},
		{"a long function", "a.go", "package p\nfunc f() {\n" + strings.Repeat("\n", maxFunction) + "}\n", functionFaults, "f has 82 lines"},
		{"a function of a length", "a.go", "package p\nfunc f() {\n}\n", functionFaults, ""},
		{"a type of many methods", "a.go", "package p\n" + strings.Repeat("func (t *T[K]) f() {}\n", maxMethods+1), one(typeFaults), "T has 41 methods"},
		{"a type of many fields", "a.go", "package p\ntype T struct{ E; a" + strings.Repeat(", a", maxFields-1) + " int }\n", one(typeFaults), "T has 21 fields"},
		{"a type of a size", "a.go", "package p\ntype T struct{ a, b int }\nfunc (t T) f() {}\n", one(typeFaults), ""},
		{"a package without a comment", "a.go", "package p\n", one(packageFaults), "no comment"},
		{"a package with another's comment", "a.go", "// Package q is.\npackage p\n", one(packageFaults), "no comment"},
		{"a package with a comment", "a.go", "// Package p is.\npackage p\n", one(packageFaults), ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s, err := parse(tc.path, []byte(tc.text))
			if err != nil {
				t.Fatal(err)
			}
			faults := tc.faults(s)
			switch {
			case tc.want == "" && len(faults) > 0:
				t.Errorf("got %q, want none", faults)
			case tc.want != "" && (len(faults) != 1 || !strings.Contains(faults[0], tc.want)):
				t.Errorf("got %q, want one with %q", faults, tc.want)
			}
		})
	}
}

func one(faults func([]source) []string) func(source) []string {
	return func(s source) []string { return faults([]source{s}) }
}
