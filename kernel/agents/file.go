package agents

import (
	"path/filepath"
	"slices"
	"strings"
)

// place is where a file is.
type place struct {
	home    string // below the home folder
	project string // below a project
	env     string // the variable that names another folder in the stead of under
	under   string // a folder that home begins with, or "" for the home folder itself
}

func (p place) path(getenv func(string) string, home, project string) string {
	if project != "" {
		return filepath.Join(project, p.project)
	}
	if at := getenv(p.env); filepath.IsAbs(at) {
		return filepath.Join(at, strings.TrimPrefix(p.home, p.under))
	}
	return filepath.Join(home, p.home)
}

// File is a file of settings, and what can be entered into it.
type File struct {
	Path  string
	parts []offer
}

// offer is a part, and whether it was asked for.
type offer struct {
	part
	asked bool
}

// Asked reports whether anything in the file was asked for.
func (f File) Asked() bool {
	return slices.ContainsFunc(f.parts, func(p offer) bool { return p.asked })
}

// Wanted says what an installation is to enter.
type Wanted struct {
	Command
	MCP, Sandbox bool
	Mountpoint   string // what commands in the agent's sandbox may write to
}

// Files returns the files of the user's settings, or of a project's, that an
// installation enters something into.
func (a *Agent) Files(getenv func(string) string, home, project string, w Wanted) (files []File) {
	enter := func(p part, asked bool) {
		path, at := p.at.path(getenv, home, project), 0
		for at < len(files) && files[at].Path != path {
			at++
		}
		if at == len(files) {
			files = append(files, File{Path: path})
		}
		files[at].parts = append(files[at].parts, offer{p, asked})
	}
	if a.Hooked() {
		enter(a.hooked(w.Command), true)
	}
	enter(a.server(w.Command), w.MCP)
	if a.Sandboxed() {
		enter(a.folder(w.Mountpoint), w.Sandbox)
	}
	return files
}

// Server is an MCP server of our name that a client starts.
type Server struct{ Agent, File, Command string }

// Servers returns those of the user's settings and of a project's, "" for none. What
// can't be read is the client's to tell.
func Servers(getenv func(string) string, home, project string) (all []Server) {
	for _, a := range table {
		for _, in := range slices.Compact([]string{"", project}) {
			path := a.mcp.path(getenv, home, in)
			if f, err := ReadSettings(path); err == nil {
				p := a.server(Command{})
				if have, _, err := p.find(f.Text, p.values[0]); err == nil && len(have) > 0 {
					all = append(all, Server{a.Name, path, commandOf(have[0])})
				}
			}
		}
	}
	return all
}
