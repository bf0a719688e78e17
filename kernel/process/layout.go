package process

import (
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

// The names in the store's folder.
const (
	projectsName  = "projects"
	processesName = "processes"
	indexName     = "index"
	homeName      = "home"
	projectFile   = "project.json"
	processFile   = "process.json"
	turnsFile     = "turns.jsonl"

	lockName    = ".lock"
	saltName    = ".salt"
	tmpName     = ".tmp"     // processes being made
	trashName   = ".trash"   // processes being removed
	removedName = ".removed" // tombstones
)

// Folder is where a project's conversations lie.
type Folder struct {
	Path      string // holds project.json and the two below
	Processes string // a folder a process
	Index     string // kept by recall; a cache
}

// Folder returns the places of a project, which need not be there.
func (s *Store) Folder(project string) (Folder, error) {
	if err := checkProject(project); err != nil {
		return Folder{}, err
	}
	path := filepath.Join(s.folder, projectsName, folderName(project))
	return Folder{Path: path, Processes: filepath.Join(path, processesName), Index: filepath.Join(path, indexName)}, nil
}

// folderName is a name for people with a hash for uniqueness.
func folderName(project string) string {
	if project == "" {
		return homeName
	}
	sum := sha256.Sum256([]byte(project))
	return slug(filepath.Base(project)) + "-" + hex.EncodeToString(sum[:8])
}

const maxSlug = 40

func slug(name string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(name) {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			b.WriteRune(r)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
		if b.Len() >= maxSlug {
			break
		}
	}
	if s := strings.Trim(b.String(), "-"); s != "" {
		return s
	}
	return "project"
}

func checkProject(project string) error {
	if project != "" && (!filepath.IsAbs(project) || filepath.Clean(project) != project || strings.ContainsRune(project, 0)) {
		return memory.Errorf(memory.KindInvalid, "find project", "a project is an absolute clean path")
	}
	return nil
}

// checkUUID holds a uuid to its one form, so that it is fit as a file's name.
func checkUUID(uuid string) error {
	ok := len(uuid) == 36
	for i := 0; ok && i < len(uuid); i++ {
		c := uuid[i]
		if i == 8 || i == 13 || i == 18 || i == 23 {
			ok = c == '-'
		} else {
			ok = c >= '0' && c <= '9' || c >= 'a' && c <= 'f'
		}
	}
	if !ok {
		return memory.Errorf(memory.KindInvalid, "find conversation", "a conversation is named by its uuid, in lower case")
	}
	return nil
}

// namespace of the uuids made here (RFC 9562, 5.5).
var namespace = [16]byte{0x5b, 0x1f, 0x0e, 0x6c, 0x2d, 0x7a, 0x4c, 0x8b, 0x9e, 0x35, 0x61, 0x8d, 0x04, 0xf7, 0xa2, 0xd9}

// ID is the uuid of the process that an agent knows as external: always the
// same one, and one that nobody else has (version 5: RFC 9562, 5.5).
func ID(uid uint32, agent, external string) string {
	h := sha1.New()
	h.Write(namespace[:])
	// The length keeps ("a", "bc") and ("ab", "c") apart.
	fmt.Fprintf(h, "%d\x00%d\x00%s\x00%s", uid, len(agent), agent, external)
	return formatUUID([16]byte(h.Sum(nil)[:16]), 5)
}

func formatUUID(b [16]byte, version byte) string {
	b[6] = b[6]&0x0f | version<<4
	b[8] = b[8]&0x3f | 0x80
	s := hex.EncodeToString(b[:])
	return s[:8] + "-" + s[8:12] + "-" + s[12:16] + "-" + s[16:20] + "-" + s[20:]
}
