package daemon

import (
	"os"

	"github.com/rnixfs/rnixfs/cmd/rnixfs/internal/paths"
	"github.com/rnixfs/rnixfs/kernel/config"
	"github.com/rnixfs/rnixfs/kernel/knowledge"
	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/vfs"
)

// openLibrary returns the documents of the user who runs this process. They are read with
// the rights of this process, and so are nobody else's.
func openLibrary(k *Kernel) *knowledge.Library {
	home, _ := paths.Home() // without one, ~ is /
	return knowledge.New(knowledge.Options{
		Dir: k.Paths.Knowledge(), Home: home, Redact: k.Gate.RedactLong, Name: k.Gate.Name, Logger: k.log, Brief: !k.opts.Watch,
		Rows: func() []config.KnowledgeRow { return k.Config().Config.Knowledge },
	})
}

// owned gives a library to the user alone who runs this process.
func owned(l *knowledge.Library) vfs.LibraryFunc {
	return func(caller memory.Caller) (*knowledge.Library, error) {
		if int(caller.UID) != os.Getuid() {
			return nil, memory.Errorf(memory.KindDenied, "knowledge", "documents are searched by the user alone who mounted this memory; rnixfs mount DIR makes a mount of your own")
		}
		return l, nil
	}
}
