package knowledge

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Row is a collection as memory.yaml has it: manual pages of sections, or a folder.
type Row struct {
	Man  []int  // sections
	Path string // of the manual pages; "": those of the system
	Dir  string
	Glob string // of the files of Dir; "": all that are Markdown or text
}

// Name is what the collection is called.
func (r Row) Name() string { return cmp.Or(r.Dir, r.Path, "man") }

// The bounds of a collection.
const (
	maxFile      = 1 << 20 // bytes, unpacked
	maxDocuments = 2000
	maxFamily    = 300 // manual pages whose names begin alike, as gcloud-*
	maxLooked    = 50_000
	maxDepth     = 16
)

// document is a file that was found.
type document struct {
	root, rel string // the folder of the collection, and the path in it
	page      string // of a manual page: its name, such as iptables(8)
	size      int64
	changed   time.Time
	id        string // what the index calls it
	packaged  bool   // root's, in a folder of the system
}

func (d *document) path() string { return filepath.Join(d.root, d.rel) }

// version is part of the ids of documents: it changes with what is made of them.
const version = "1"

// newDocument is a file as it is now; nil is none.
func newDocument(root, rel, page string, entry fs.DirEntry) *document {
	info, err := entry.Info()
	if err != nil || !info.Mode().IsRegular() {
		return nil
	}
	d := &document{root: root, rel: rel, page: page, size: info.Size(), changed: info.ModTime()}
	d.id = fmt.Sprintf("%s\x00%s %d %d", d.path(), version, info.Size(), info.ModTime().UnixNano())
	st, ok := info.Sys().(*syscall.Stat_t)
	d.packaged = page != "" && ok && st.Uid == 0 && slices.Contains(systemManuals, root)
	return d
}

// found is what was found of a collection, and what is wrong with it.
type found struct {
	documents []*document
	problems  []string
}

func (f *found) say(n int, format string, args ...any) {
	if n > 0 {
		f.problems = append(f.problems, strconv.Itoa(n)+" "+fmt.Sprintf(format, args...))
	}
}

// systemManuals are the folders of a machine's manual pages (hier(7)).
var systemManuals = []string{"/usr/share/man", "/usr/local/share/man"}

// find looks for the documents of a row.
func find(row Row, home string) found {
	var f found
	if row.Dir != "" {
		f.folder(row.Folder(home), row.Glob)
	} else {
		f.manuals(row, home)
	}
	all := len(f.documents)
	f.documents = slices.DeleteFunc(f.documents, func(d *document) bool { return d.size > maxFile })
	f.say(all-len(f.documents), "files are left out: they are longer than %d bytes", maxFile)
	f.say(len(f.documents)-maxDocuments, "more are left out: a collection has at most %d documents", maxDocuments)
	f.documents = f.documents[:min(len(f.documents), maxDocuments)]
	return f
}

// Folder is where the row's documents are, "" for the pages of the system. ~ stands for
// the home directory.
func (r Row) Folder(home string) string {
	dir := cmp.Or(r.Dir, r.Path)
	if rest, ok := strings.CutPrefix(dir, "~"); ok {
		dir = home + rest
	}
	if dir != "" {
		dir = path.Clean(dir)
	}
	return dir
}

// manualPage is the name of a file: a page, its section, and whether it is packed.
var manualPage = regexp.MustCompile(`^([^.].*)\.([0-9][0-9a-z]*)(\.gz)?$`)

func (f *found) manuals(row Row, home string) {
	roots := systemManuals
	if row.Path != "" {
		roots = []string{row.Folder(home)}
	}
	families := map[string]int{}
	for _, root := range roots {
		for _, section := range row.Man {
			dir := "man" + strconv.Itoa(section)
			list, err := os.ReadDir(filepath.Join(root, dir)) // one that is not there has no pages
			for _, e := range list {
				name := manualPage.FindStringSubmatch(e.Name())
				if name == nil || !e.Type().IsRegular() {
					continue
				}
				if d := newDocument(root, path.Join(dir, e.Name()), name[1]+"("+name[2]+")", e); d != nil {
					f.documents = append(f.documents, d)
					families[d.family()]++
				}
			}
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				f.problems = append(f.problems, "can't be read: "+err.Error())
			}
		}
	}
	for family, n := range families {
		if n > maxFamily {
			f.say(n, "pages are left out: %s has more than %d", family, maxFamily)
		}
	}
	slices.Sort(f.problems)
	f.documents = slices.DeleteFunc(f.documents, func(d *document) bool { return families[d.family()] > maxFamily })
	if len(f.documents)+len(f.problems) == 0 {
		f.problems = []string{"there are no pages in " + strings.Join(roots, ", ")}
	}
}

// family is the beginning of a page's name that others share.
func (d *document) family() string {
	if i := strings.IndexAny(d.page, "-_"); i > 0 {
		return d.page[:i]
	}
	return d.page
}

// textual are the ends of names of the files that a folder without a glob is read for.
var textual = []string{".md", ".markdown", ".txt", ".text", ".rst", ".adoc", ".org"}

func (f *found) folder(dir, glob string) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		f.problems = []string{"can't be read: " + err.Error()}
		return
	}
	defer root.Close()
	looked, deep, unread := 0, 0, 0
	_ = fs.WalkDir(root.FS(), ".", func(rel string, e fs.DirEntry, err error) error {
		looked++
		hidden := rel != "." && strings.HasPrefix(e.Name(), ".")
		switch {
		case looked > maxLooked:
			f.problems = append(f.problems, fmt.Sprintf("not all of it is read: it has more than %d files and folders", maxLooked))
			return fs.SkipAll
		case err != nil:
			unread++
		case e.IsDir() && hidden:
			return fs.SkipDir
		case e.IsDir() && strings.Count(rel, "/") >= maxDepth:
			deep++
			return fs.SkipDir
		case hidden || !e.Type().IsRegular():
		case glob == "" && slices.Contains(textual, strings.ToLower(path.Ext(rel))), glob != "" && match(strings.Split(glob, "/"), strings.Split(rel, "/")):
			if d := newDocument(dir, rel, "", e); d != nil {
				f.documents = append(f.documents, d)
			}
		}
		return nil
	})
	f.say(unread, "can't be read")
	f.say(deep, "folders are left out: they lie deeper than %d", maxDepth)
}

// match reports whether a path has the form of a glob, in which ** stands for any
// number of folders.
func match(glob, names []string) bool {
	if len(glob) == 0 || len(names) == 0 {
		return len(glob)+len(names) == 0
	}
	if glob[0] == "**" {
		return match(glob[1:], names) || match(glob, names[1:])
	}
	ok, err := path.Match(glob[0], names[0])
	return ok && err == nil && match(glob[1:], names[1:])
}

// redirect is a manual page that is another one (soelim(1)).
var redirect = regexp.MustCompile(`^(?:\.\\".*\n|'\\".*\n|\s*\n)*\.so +(man[0-9][0-9a-z]*/[^\s/]+)\s*`)

// sections reads a document. has says whether a path is a document's, too.
func (d *document) sections(has func(path string) bool, mask func(string) (string, error)) ([]Section, error) {
	root, err := os.OpenRoot(d.root)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	text, err := readText(root, d.rel)
	if err != nil {
		return nil, err
	}
	if d.page != "" {
		if to := redirect.FindStringSubmatch(text); to != nil {
			rel := to[1]
			if has(filepath.Join(d.root, rel)) || has(filepath.Join(d.root, rel+".gz")) {
				return nil, nil // that one is found
			}
			if text, err = readText(root, rel); errors.Is(err, fs.ErrNotExist) {
				text, err = readText(root, rel+".gz")
			}
		}
		list := Manual(text)
		for i := range list {
			s := &list[i]
			clean, merr := mask(s.Text)
			if err = cmp.Or(err, merr); clean != s.Text {
				s.Text, s.Heading = clean, ""
			}
		}
		return list, err
	}
	if text, err = mask(text); err != nil {
		return nil, err
	}
	if ext := strings.ToLower(path.Ext(d.rel)); ext == ".md" || ext == ".markdown" {
		return Markdown(text), nil
	}
	return Plain(text), nil
}

// readText reads a file, unpacked if its name says that it is packed.
func readText(root *os.Root, rel string) (string, error) {
	f, err := root.OpenFile(rel, os.O_RDONLY|syscall.O_NONBLOCK|syscall.O_NOFOLLOW, 0)
	if err != nil {
		return "", err
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return "", errors.Join(err, errors.New("it is no regular file"))
	}
	in := io.Reader(f)
	if strings.HasSuffix(rel, ".gz") {
		if in, err = gzip.NewReader(f); err != nil {
			return "", err
		}
	}
	raw, err := io.ReadAll(io.LimitReader(in, maxFile+1))
	switch {
	case err != nil:
		return "", err
	case len(raw) > maxFile:
		return "", fmt.Errorf("it is longer than %d bytes", maxFile)
	case bytes.IndexByte(raw, 0) >= 0:
		return "", errors.New("it is no text")
	}
	return strings.ToValidUTF8(string(raw), "\uFFFD"), nil
}
