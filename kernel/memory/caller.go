package memory

import "errors"

// Caller is who opened a device, by the operating system's word. Zero fields
// are unknown: across pid namespaces the pid reads 0.
type Caller struct {
	UID     uint32
	PID     int    // thread group id in the mount's pid namespace
	Exe     string // path of the executable
	Cwd     string // working directory, as the daemon can reach it
	Session string // id of the session tree it came through (s/<id>/), or ""
	Leader  string // names the operating system's session that it is in
	Agent   string // the agent that the request names, or ""
	Client  string // what the program calls itself that a front end asks for: a label
	Project string // root of the project that Cwd lies in, absolute; "" when in none
	Folder  Folder // which directory Project is, as the caller itself sees it; zero: not known
	Unseen  bool   // Cwd can't be seen, and nothing else says which project it is
	Alone   bool   // Project is the memory of Container alone
	Why     string // why Project is the caller's, or why it has none: a sentence
	// Container is the id of the container that the caller is in, by its control groups; "" in
	// the mount namespace of this process.
	Container string
	Trust     Trust  // by which road
	Road      string // which front end and device: "commit", "cli", ...
	// Person says that only a person asks in this way, whatever the trust is.
	Person bool
}

// In returns the project that the caller is in; it fails where that is not known, so
// that all who can't be seen don't share one memory.
func (c Caller) In() (project string, err error) {
	if !c.Unseen {
		return c.Project, nil
	}
	return "", &Error{
		Op: "resolve", Kind: KindDenied,
		Err: errors.New("which project is not known: " + c.Why),
		Hint: "work in a directory that rnixfs can see, bound from the machine where it runs, use a tree s/<id>/ that was first written to from the project, " +
			"or mount with --project DIR; global_memory and the profile need no project",
	}
}

// Source is what is stamped on an entry that this caller writes.
func (c Caller) Source() Source {
	uid := c.UID
	return Source{
		Trust: c.Trust, Road: c.Road, UID: &uid, PID: c.PID,
		Exe: c.Exe, Session: c.Session, Container: c.Container, Client: c.Client,
	}
}
