package process

import (
	"context"
	"encoding/json"
	"fmt"
)

// EnsureFolder is [Store.Folder] that makes the project's folder where it is not
// there, for those who keep something in it.
func (s *Store) EnsureFolder(ctx context.Context, project string) (Folder, error) {
	f, err := s.Folder(project)
	if err != nil {
		return f, err
	}
	root, err := s.makeRoot()
	if err != nil {
		return f, failure("make project", err)
	}
	defer root.close()
	unlock, err := s.lockRoot(ctx, root)
	if err != nil {
		return f, failure("make project", err)
	}
	defer unlock()
	at, err := s.makeProject(root, project)
	if err == nil {
		at.close()
	}
	return f, failure("make project", err)
}

// projectInfo is project.json: which project a folder belongs to.
type projectInfo struct {
	Project string `json:"project"` // absolute clean path; "" is the home project
}

// makeProject opens the folder of a project. The root's lock is held.
func (s *Store) makeProject(root dir, project string) (dir, error) {
	at, err := root.make(folderName(project))
	if err != nil {
		return at, err
	}
	if info, err := readProject(at); err == nil && info.Project == project {
		return at, nil
	}
	if err := at.replace(projectFile, projectInfo{project}); err != nil {
		at.close()
		return dir{-1}, err
	}
	return at, nil
}

func readProject(at dir) (projectInfo, error) {
	raw, err := at.read(projectFile, maxProcess)
	if err != nil {
		return projectInfo{}, err
	}
	var info projectInfo
	if err := json.Unmarshal(raw, &info); err != nil {
		return projectInfo{}, fmt.Errorf("%s can't be read: it is not JSON", projectFile)
	}
	return info, nil
}

// projectOf is the project that a folder belongs to.
func projectOf(root dir, folder string) (string, error) {
	at, err := root.sub(folder)
	if err != nil {
		return "", err
	}
	defer at.close()
	info, err := readProject(at)
	return info.Project, err
}
