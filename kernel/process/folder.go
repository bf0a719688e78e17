package process

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"os"
	"path"
	"path/filepath"
	"regexp"
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
	tmpName     = ".tmp"     // conversations being made
	trashName   = ".trash"   // conversations being removed
	removedName = ".removed" // tombstones
)

func checkProject(project string) error {
	if project != "" && (!filepath.IsAbs(project) || filepath.Clean(project) != project || strings.ContainsRune(project, 0)) {
		return memory.Errorf(memory.KindInvalid, "find project", "a project is an absolute clean path")
	}
	return nil
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

var unfit = regexp.MustCompile(`[^a-z0-9]+`)

func slug(name string) string {
	s := strings.TrimPrefix(unfit.ReplaceAllString(strings.ToLower(name), "-"), "-")
	return cmp.Or(strings.TrimSuffix(s[:min(len(s), maxSlug)], "-"), "project")
}

// place is where a conversation lies: its project's folder in the root, and its
// uuid.
type place struct{ folder, uuid string }

// of returns the path of a file of the conversation; "" is its folder.
func (p place) of(file string) string { return path.Join(p.folder, processesName, p.uuid, file) }

func placeOf(project, uuid string) (place, error) {
	return place{folderName(project), uuid}, errors.Join(checkProject(project), checkUUID(uuid))
}

// lookup opens the folder of all projects, and says where in it a conversation lies.
func (p projects) lookup(project, uuid string) (*os.Root, place, error) {
	at, err := placeOf(project, uuid)
	if err != nil {
		return nil, at, err
	}
	root, err := p.root()
	return root, at, err
}

// projectInfo is project.json: which project a folder belongs to.
type projectInfo struct {
	Project string `json:"project"` // absolute clean path; "" is the home project
}

const maxDescription = 1 << 20 // bytes of project.json, and of process.json

// projectOf is the project that a folder belongs to.
func projectOf(root *os.Root, folder string) (string, error) {
	raw, err := readFile(root, path.Join(folder, projectFile), maxDescription)
	if err != nil {
		return "", err
	}
	var info projectInfo
	if json.Unmarshal(raw, &info) != nil {
		return "", errors.New(projectFile + " can't be read: it is not JSON")
	}
	return info.Project, nil
}

// makeProject makes the folder of a project. The root's lock is held.
func makeProject(root *os.Root, project string) error {
	folder := folderName(project)
	if err := makeDir(root, folder); err != nil {
		return err
	}
	if known, err := projectOf(root, folder); err == nil && known == project {
		return nil
	}
	return replace(root, path.Join(folder, projectFile), projectInfo{project})
}
