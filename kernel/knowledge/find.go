package knowledge

import (
	"bytes"
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

	"github.com/rnixfs/rnixfs/kernel/config"
)

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
	packaged  bool // root's, in a folder of the system
}

func (d *document) path() string { return filepath.Join(d.root, d.rel) }

// id is what the index calls a document. Its number changes with what is made of one.
func (d *document) id() string {
	return fmt.Sprintf("%s\x001 %d %d", d.path(), d.size, d.changed.UnixNano())
}

// family is the beginning of a page's name that others share.
func (d *document) family() string {
	return d.page[:max(strings.IndexAny(d.page+"-", "-_"), 1)]
}

// found is what was found of a collection, and what is wrong with it.
type found struct {
	documents []*document
	problems  []string
}

// say tells a problem, unless it is of nothing.
func (f *found) say(n int, format string, args ...any) {
	if n > 0 {
		f.problems = append(f.problems, strconv.Itoa(n)+" "+fmt.Sprintf(format, args...))
	}
}

func (f *found) add(root, rel, page string, entry fs.DirEntry) {
	info, err := entry.Info()
	if err != nil || !info.Mode().IsRegular() {
		return
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	f.documents = append(f.documents, &document{
		root: root, rel: rel, page: page, size: info.Size(), changed: info.ModTime(),
		packaged: page != "" && ok && st.Uid == 0 && slices.Contains(systemManuals, root),
	})
}

// drop leaves out the documents of which that is to be said, and tells how many.
func (f *found) drop(out func(*document) bool, format string, args ...any) {
	n := len(f.documents)
	f.documents = slices.DeleteFunc(f.documents, out)
	f.say(n-len(f.documents), format, args...)
}

// find looks for the documents of a row.
func find(row config.KnowledgeRow, home string) found {
	var f found
	switch dir := row.Folder(home); {
	case row.Dir != "":
		f.folder(dir, row.Glob)
	case row.Path != "":
		f.manuals([]string{dir}, row.Man)
	default:
		f.manuals(systemManuals, row.Man)
	}
	f.drop(func(d *document) bool { return d.size > maxFile }, "files are left out: they are longer than %d bytes", maxFile)
	n := 0
	f.drop(func(*document) bool { n++; return n > maxDocuments }, "more are left out: a collection has at most %d documents", maxDocuments)
	return f
}

// systemManuals are the folders of a machine's manual pages (hier(7)).
var systemManuals = []string{"/usr/share/man", "/usr/local/share/man"}

// manualPage is the name of a file: a page, its section, and whether it is packed.
var manualPage = regexp.MustCompile(`^([^.].*)\.([0-9][0-9a-z]*)(\.gz)?$`)

func (f *found) manuals(roots []string, sections []int) {
	for _, root := range roots {
		for _, section := range sections {
			dir := "man" + strconv.Itoa(section)
			list, err := os.ReadDir(filepath.Join(root, dir))
			if err != nil && !errors.Is(err, fs.ErrNotExist) { // one that is not there has no pages
				f.problems = append(f.problems, "can't be read: "+err.Error())
			}
			for _, e := range list {
				if name := manualPage.FindStringSubmatch(e.Name()); name != nil {
					f.add(root, path.Join(dir, e.Name()), name[1]+"("+name[2]+")", e)
				}
			}
		}
	}
	if len(f.documents)+len(f.problems) == 0 {
		f.problems = []string{"there are no pages in " + strings.Join(roots, ", ")}
	}
	families := map[string]int{}
	for _, d := range f.documents {
		families[d.family()]++
	}
	for _, d := range slices.Clone(f.documents) {
		if name := d.family(); families[name] > maxFamily {
			f.drop(func(d *document) bool { return d.family() == name }, "pages are left out: %s has more than %d", name, maxFamily)
			families[name] = 0
		}
	}
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
		switch hidden := rel != "." && strings.HasPrefix(e.Name(), "."); {
		case looked > maxLooked:
			f.say(maxLooked, "files and folders are looked at, and no more")
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
			f.add(dir, rel, "", e)
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

// sections reads a document, with its secrets masked. has says whether a path is a
// document's, too.
func (d *document) sections(has map[string]bool, mask func(string) (string, error)) (list []Section, err error) {
	root, err := os.OpenRoot(d.root)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	text, err := readText(root, d.rel)
	if to := redirect.FindStringSubmatch(text); to != nil && d.page != "" {
		if has[filepath.Join(d.root, to[1])] || has[filepath.Join(d.root, to[1]+".gz")] {
			return nil, nil // that one is found
		}
		if text, err = readText(root, to[1]); errors.Is(err, fs.ErrNotExist) {
			text, err = readText(root, to[1]+".gz")
		}
	}
	if d.page == "" && err == nil {
		text, err = mask(text)
	}
	if err != nil {
		return nil, err
	}
	switch ext := strings.ToLower(path.Ext(d.rel)); {
	case d.page != "":
		list = Manual(text)
		for i, s := range list { // in the source a secret may have other forms
			clean, err := mask(s.Text)
			if err != nil {
				return nil, err
			}
			if clean != s.Text {
				list[i].Text, list[i].Heading = clean, ""
			}
		}
		return list, nil
	case ext == ".md" || ext == ".markdown":
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
	case err == nil && len(raw) > maxFile:
		err = fmt.Errorf("it is longer than %d bytes", maxFile)
	case err == nil && bytes.IndexByte(raw, 0) >= 0:
		err = errors.New("it is no text")
	}
	return strings.ToValidUTF8(string(raw), "\uFFFD"), err
}
