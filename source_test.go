package rnixfs_test

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

const module = "github.com/rnixfs/rnixfs"

// source is one Go file of ours.
type source struct {
	path  string // from the root, with slashes
	test  bool
	text  []byte
	lines int
	set   *token.FileSet
	file  *ast.File
}

func (s source) dir() string {
	return filepath.ToSlash(filepath.Dir(s.path))
}

func (s source) imports() []string {
	paths := make([]string, len(s.file.Imports))
	for i, spec := range s.file.Imports {
		paths[i], _ = strconv.Unquote(spec.Path.Value)
	}
	return paths
}

func (s source) at(n ast.Node) string {
	return fmt.Sprintf("%s:%d", s.path, s.set.Position(n.Pos()).Line)
}

func parse(path string, text []byte) (source, error) {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, path, text, parser.ParseComments|parser.SkipObjectResolution)
	return source{
		path: path, test: strings.HasSuffix(path, "_test.go"), text: text, lines: bytes.Count(text, []byte("\n")), set: set, file: file,
	}, err
}

// all reads every Go file once, with every build tag, but test data.
var all = sync.OnceValues(func() ([]source, error) {
	var files []source
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if name := d.Name(); d.IsDir() && (name == "testdata" || name == "vendor" || len(name) > 1 && strings.ContainsAny(name[:1], "._")) {
			return fs.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(path, ".go") {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		s, err := parse(filepath.ToSlash(path), text)
		files = append(files, s)
		return err
	})
	return files, err
})

func sources(t *testing.T) []source {
	t.Helper()
	files, err := all()
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// packageFaults names the packages without a comment, or with one that does not
// begin as godoc wants it.
func packageFaults(files []source) []string {
	documented := map[string]bool{}
	var dirs []string
	for _, s := range files {
		if s.test {
			continue
		}
		dirs = append(dirs, s.dir())
		begin := "Package " + s.file.Name.Name + " "
		if s.file.Name.Name == "main" {
			begin = "" // a command's comment is its manual page
		}
		if s.file.Doc != nil && strings.HasPrefix(s.file.Doc.Text(), begin) {
			documented[s.dir()] = true
		}
	}
	slices.Sort(dirs)
	var faults []string
	for _, dir := range slices.Compact(dirs) {
		if !documented[dir] {
			faults = append(faults, dir+": the package has no comment")
		}
	}
	return faults
}

func lengthFaults(s source) []string {
	if s.lines > maxLines {
		return []string{fmt.Sprintf("%s has %d lines, of at most %d", s.path, s.lines, maxLines)}
	}
	return nil
}

// functionFaults names the functions that are too long.
func functionFaults(s source) []string {
	var faults []string
	for _, decl := range s.file.Decls {
		d, ok := decl.(*ast.FuncDecl)
		if n := s.set.Position(decl.End()).Line - s.set.Position(decl.Pos()).Line + 1; ok && !s.test && n > maxFunction {
			faults = append(faults, fmt.Sprintf("%s: %s has %d lines, of at most %d", s.at(d), d.Name.Name, n, maxFunction))
		}
	}
	return faults
}

// typeFaults names the types with too many methods or fields: those are several
// things under one name.
func typeFaults(files []source) []string {
	methods := map[string]int{}
	var faults []string
	for _, s := range files {
		if s.test {
			continue
		}
		for _, decl := range s.file.Decls {
			switch d := decl.(type) {
			case *ast.FuncDecl:
				if of := receiver(d, ""); of != "" {
					methods[s.dir()+": "+of]++
				}
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					if t, ok := spec.(*ast.TypeSpec); ok && fields(t) > maxFields {
						faults = append(faults, fmt.Sprintf("%s: %s has %d fields, of at most %d", s.at(t), t.Name.Name, fields(t), maxFields))
					}
				}
			}
		}
	}
	for of, n := range methods {
		if n > maxMethods {
			faults = append(faults, fmt.Sprintf("%s has %d methods, of at most %d", of, n, maxMethods))
		}
	}
	return faults
}

// fields counts the fields of a struct, 0 for other types.
func fields(t *ast.TypeSpec) (n int) {
	if st, ok := t.Type.(*ast.StructType); ok {
		for _, f := range st.Fields.List {
			n += max(1, len(f.Names))
		}
	}
	return n
}

// commentFaults names the exported names without a comment.
func commentFaults(s source) []string {
	if s.test {
		return nil
	}
	var faults []string
	for _, decl := range s.file.Decls {
		switch d := decl.(type) {
		case *ast.FuncDecl:
			if d.Name.IsExported() && d.Doc == nil && ast.IsExported(receiver(d, d.Name.Name)) {
				faults = append(faults, s.at(d)+": "+d.Name.Name+" has no comment")
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				if name := uncommented(spec, d.Doc != nil); name != "" {
					faults = append(faults, s.at(spec)+": "+name+" has no comment")
				}
			}
		}
	}
	return faults
}

// uncommented returns the exported name of a declaration that has no comment, or
// "". A comment on the group is one for each of its constants and variables.
func uncommented(spec ast.Spec, group bool) string {
	switch spec := spec.(type) {
	case *ast.TypeSpec:
		if spec.Name.IsExported() && spec.Doc == nil && spec.Comment == nil && !group {
			return spec.Name.Name
		}
	case *ast.ValueSpec:
		for _, name := range spec.Names {
			if name.IsExported() && spec.Doc == nil && spec.Comment == nil && !group {
				return name.Name
			}
		}
	}
	return ""
}

// receiver returns the type that a method belongs to, or the fallback.
func receiver(d *ast.FuncDecl, fallback string) string {
	if d.Recv == nil || len(d.Recv.List) == 0 {
		return fallback
	}
	expr := d.Recv.List[0].Type
	for {
		switch x := expr.(type) {
		case *ast.StarExpr:
			expr = x.X
		case *ast.IndexExpr:
			expr = x.X
		case *ast.IndexListExpr:
			expr = x.X
		case *ast.Ident:
			return x.Name
		default:
			return fallback
		}
	}
}
