// Command rnixfs makes memory a device: it mounts files under /dev/memory that
// any program can write to remember and read to recall. See the README, and
// "rnixfs help".
package main

import (
	"os"

	"github.com/rnixfs/rnixfs/cmd/rnixfs/internal/cli"
)

func main() {
	os.Exit(cli.Main(os.Args, os.Stdin, os.Stdout, os.Stderr))
}
