package vfs

import (
	"context"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

// Result is what a device answered to one request.
type Result struct {
	Body []byte      // one line of JSON with its newline
	OK   bool        // whether the request succeeded
	Kind memory.Kind // why not, when OK is false
	// Unkept: the reply is for the descriptor of the request alone, and changes nothing of
	// what else the asker reads.
	Unkept bool
}

// Folder is a directory of the mount whose files exist when they are looked up.
// Its listing is empty, so that a program that walks the mount finds none.
type Folder interface {
	// Name is the directory's name.
	Name() string
	// File returns the read-only device behind a name, or nil for a name that
	// stands for none.
	File(name string) Device
}

// Batcher is a device that runs requests of one write together, in less time than one
// after the other.
type Batcher interface {
	Device
	// ExecAll runs requests in order until one fails. It returns a result for each
	// that ran, at least one; the effects of those that succeeded are durable then.
	ExecAll(ctx context.Context, caller memory.Caller, requests [][]byte) []Result
}

// Device is one name in the mount.
type Device interface {
	// Name is the file's name: "commit", "recall", ...
	Name() string
	// Writable reports whether the device takes requests. One that does not has
	// its state read by Read.
	Writable() bool
	// Exec runs one request, a complete JSON object, for the caller.
	Exec(ctx context.Context, caller memory.Caller, request []byte) Result
	// Read returns what a reader gets for whom there is no reply: the help of a
	// device that takes requests, the state of one that does not. One or more
	// lines of JSON, or of text in another format.
	Read(ctx context.Context, caller memory.Caller) []byte
	// Space returns the quota behind the device for this caller, in characters; ok is
	// false for a device that has none.
	Space(ctx context.Context, caller memory.Caller) (total, free int, ok bool)
}

// writable is what the devices have in common that take requests.
type writable struct{ help help }

func (d writable) Name() string   { return d.help.Device }
func (d writable) Writable() bool { return true }

func (d writable) Read(context.Context, memory.Caller) []byte {
	return d.help.encode("no operation performed yet")
}

func (d writable) Space(context.Context, memory.Caller) (total, free int, ok bool) {
	return 0, 0, false
}

// readOnly is what the devices have in common that take no requests.
type readOnly struct{ name string }

func (d readOnly) Name() string   { return d.name }
func (d readOnly) Writable() bool { return false }

func (d readOnly) Exec(context.Context, memory.Caller, []byte) Result {
	return Failure(memory.Errorf(memory.KindReadOnly, d.name, "%s takes no requests; read it", d.name), nil)
}

func (d readOnly) Space(context.Context, memory.Caller) (total, free int, ok bool) {
	return 0, 0, false
}
