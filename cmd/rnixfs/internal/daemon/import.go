package daemon

import (
	"context"
	"os"

	"github.com/rnixfs/rnixfs/cmd/rnixfs/internal/paths"
	"github.com/rnixfs/rnixfs/kernel/process"
	"github.com/rnixfs/rnixfs/kernel/process/importer"
	"github.com/rnixfs/rnixfs/kernel/writeback/spool"
)

// importer takes in conversations of a user; its store is set where it is used.
func (k *Kernel) importer(uid uint32) *importer.Importer {
	home, _ := paths.Home() // without one, nothing is found
	return &importer.Importer{UID: uid, Home: home, FindProject: paths.Project, Ledger: k.Paths.Imports()}
}

// Import brings the conversations of other tools' histories into this user's.
func (k *Kernel) Import(ctx context.Context, opts importer.Options) (importer.Summary, error) {
	im := k.importer(uint32(os.Getuid()))
	var err error
	if im.Store, err = k.Conversations(im.UID); err != nil {
		return importer.Summary{}, err
	}
	return im.Import(ctx, opts)
}

// importRun returns what brings the transcripts of a user's jobs into the store.
// A job of another user than this process's can't name a transcript: it would be
// read with the rights of this process.
func (k *Kernel) importRun(uid uint32) func(context.Context, spool.Job) ([]process.Conversation, error) {
	if int(uid) != os.Getuid() {
		return nil
	}
	return func(ctx context.Context, job spool.Job) ([]process.Conversation, error) {
		im := k.importer(uid)
		var err error
		if im.Store, err = k.Conversations(uid); err != nil {
			return nil, err
		}
		return im.ImportRun(ctx, importer.Run{
			Agent: job.Agent, External: job.External, Transcript: job.Transcript, Dir: job.Project,
			Start: job.Start, End: job.End, Places: job.Places,
		})
	}
}
