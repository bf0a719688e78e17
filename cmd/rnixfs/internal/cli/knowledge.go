package cli

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/rnixfs/rnixfs/cmd/rnixfs/internal/paths"
	"github.com/rnixfs/rnixfs/kernel/config"
	"github.com/rnixfs/rnixfs/kernel/knowledge"
	"github.com/rnixfs/rnixfs/kernel/vfs"
)

func knowledgeCmd(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use: "knowledge", Short: "Choose documents that can be searched: folders and manual pages", Args: cobra.ArbitraryArgs, RunE: groupRun,
		Long: `Folders of Markdown and text, and manual pages, can be searched by section:
"rnixfs recall --knowledge WORDS". They are named in your own memory.yaml, and no other
search finds them.`,
	}
	var row config.KnowledgeRow
	add := command("add DIR | add --man 1,5,7,8 [DIR]", "Add a folder of documents, or manual pages", cobra.MaximumNArgs(1), func(ctx context.Context, args []string) error {
		dir, err := filepath.Abs(strings.Join(args, ""))
		switch {
		case err != nil:
			return err
		case len(args) == 0 && len(row.Man) == 0:
			return withExit(exitUsage, errors.New("add: name a folder, or sections of the manual with --man"))
		case len(row.Man) == 0:
			row.Dir = dir
		case len(args) > 0:
			row.Path = dir
		}
		if info, err := os.Stat(dir); len(args) > 0 && (err != nil || !info.IsDir()) {
			return cmp.Or(err, fmt.Errorf("%s is no folder", dir))
		}
		return editKnowledge(ctx, a, row.Name(), true, func(text []byte) ([]byte, error) { return config.AddKnowledge(text, row) })
	})
	add.Long = `Add a folder of Markdown and text, or sections of the manual, to your own memory.yaml,
and read it. The pages of --man are those of the system, or those in DIR, which has man1,
man8 and so on.`
	add.Flags().IntSliceVar(&row.Man, "man", nil, "sections of the manual, such as 1,5,7,8")
	add.Flags().StringVar(&row.Glob, "glob", "", `of the folder only files of this form, such as "**/*.md"`)
	remove := command("rm NAME", "Take documents out again, by the name that list shows", cobra.ExactArgs(1), func(ctx context.Context, args []string) error {
		loaded, err := a.settings(ctx, "")
		if err != nil {
			return err
		}
		name := args[0]
		home, _ := paths.Home()                       // without one, ~ is /
		for _, row := range loaded.Config.Knowledge { // however the folder is written
			if dir, err := filepath.Abs(name); err == nil && row.Folder(home) == dir {
				name = row.Name()
			}
		}
		return editKnowledge(ctx, a, name, false, func(text []byte) ([]byte, error) { return config.RemoveKnowledge(text, name) })
	})
	remove.Long = `Take documents out of your own memory.yaml, by the name that list shows, and what was
kept of them from the disk. The files stay.`
	list := command("list", "List the documents that can be searched, and what is wrong", cobra.NoArgs, func(ctx context.Context, _ []string) error {
		body, err := listKnowledge(ctx, a)
		return showKnowledge(a, body, err)
	})
	refresh := command("refresh", "Look for documents that are new, have changed or are gone", cobra.NoArgs, func(ctx context.Context, _ []string) error {
		body, err := refreshKnowledge(ctx, a, false)
		return showKnowledge(a, body, err)
	})
	cmd.AddCommand(add, remove, list, refresh)
	return cmd
}

func listKnowledge(ctx context.Context, a *app) ([]byte, error) {
	return a.call(ctx, "knowledge", request{"action": "list"})
}

// refreshKnowledge has the documents read, and returns when they are.
func refreshKnowledge(ctx context.Context, a *app, anew bool) ([]byte, error) {
	body, err := a.call(ctx, "knowledge", request{"action": "refresh", "anew": anew})
	if err != nil || !isBehind(body) {
		return body, err
	}
	return caughtUp(ctx, math.MaxInt64, func() ([]byte, error) { return listKnowledge(ctx, a) })
}

// caughtUp asks until the reply says no more that something is still being indexed, or
// patience ends.
func caughtUp(ctx context.Context, patience time.Duration, ask func() ([]byte, error)) ([]byte, error) {
	for begin := time.Now(); ; {
		body, err := ask()
		if err != nil || !isBehind(body) || time.Since(begin) > patience {
			return body, err
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(50 * time.Millisecond):
		}
	}
}

func isBehind(reply []byte) bool { return bytes.Contains(reply, []byte(`"behind":true`)) }

// editKnowledge changes the user's own memory.yaml, waits until the mount has taken it
// over, and has the documents read.
func editKnowledge(ctx context.Context, a *app, name string, added bool, edit func([]byte) ([]byte, error)) error {
	path, err := a.editConfig(edit)
	if err != nil {
		return err
	}
	for range 500 {
		var now vfs.KnowledgeReply
		body, err := listKnowledge(ctx, a)
		if err != nil || json.Unmarshal(body, &now) != nil {
			return showKnowledge(a, body, err)
		}
		if slices.ContainsFunc(now.Collections, func(c knowledge.Collection) bool { return c.Name == name }) == added {
			body, err = refreshKnowledge(ctx, a, !added)
			return showKnowledge(a, body, err)
		}
		time.Sleep(20 * time.Millisecond)
	}
	return fmt.Errorf("%s is changed, and the mount has not taken it over yet; rnixfs doctor says why, if it does not", path)
}

func showKnowledge(a *app, body []byte, err error) error {
	return finishReply(a, body, err, writeKnowledge)
}

func writeKnowledge(w io.Writer, reply *vfs.KnowledgeReply) {
	if len(reply.Collections) == 0 && !reply.Behind {
		fmt.Fprintln(w, `there are no documents; "rnixfs knowledge add DIR" adds a folder, "rnixfs knowledge add --man 1,5,7,8" the manual`)
		return
	}
	table(w, []any{"NAME", "DOCUMENTS", "SECTIONS", "KB", "READ"}, func(row func(...any)) {
		for _, c := range reply.Collections {
			row(c.Name, c.Documents, c.Sections, (c.Bytes+1023)>>10, minute(c.Read))
		}
	})
	for _, c := range reply.Collections {
		for _, problem := range c.Problems {
			fmt.Fprintln(w, oneLine(c.Name+": "+problem, 400))
		}
	}
	if reply.Behind {
		fmt.Fprintln(w, "documents are still being read")
	}
}
