// Command rnixfs makes memory a device: it mounts files under /dev/memory that
// any program can write to remember and read to recall. See the README, and
// "rnixfs help".
package main

import (
	"os"
	"runtime"

	"github.com/rnixfs/rnixfs/cmd/rnixfs/internal/cli"
)

// The kernel hands a signal to the first thread, if that one takes it. While it waits
// for a FUSE server that does not answer, no handler runs: it must do nothing else.
func init() { runtime.LockOSThread() }

func main() {
	code := make(chan int)
	go func() { code <- cli.Main(os.Args, os.Stdin, os.Stdout, os.Stderr) }()
	os.Exit(<-code)
}
