package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/rnixfs/rnixfs/cmd/rnixfs/internal/daemon"
	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/memory/exchange"
)

// importEntries takes in the entries of another memory system.
func importEntries(ctx context.Context, a *app, opts exchange.Options, project string) error {
	return a.withKernel(ctx, func(k *daemon.Kernel) error {
		caller := daemon.Self()
		if project != "" {
			caller.Project, caller.Folder, caller.Unseen = project, memory.Folder{}, false
		}
		r, err := exchange.Import(ctx, k.Store, caller, opts)
		if err != nil {
			return err
		}
		lost := 0
		for _, list := range [][]exchange.Note{r.Differ, r.Refused, r.Unread} {
			lost += len(list)
			for i := range list { // a name may be what the scanner would not store
				list[i].At, list[i].Reason = k.Gate.Name("", list[i].At), k.Gate.Name("", list[i].Reason)
			}
		}
		err = a.print(r, func(w io.Writer) { showMove(w, a.err, &r) })
		if err == nil && lost > 0 {
			err = withExit(exitPartly, nil)
		}
		return err
	})
}

func showMove(w, errOut io.Writer, r *exchange.Report) {
	verb := "taken in"
	if r.DryRun {
		verb = "to be taken in"
	}
	fmt.Fprintf(w, "%d %s, %d there already, %d with another text here, %d refused, %d not read\n",
		r.Taken, verb, r.Present, len(r.Differ), len(r.Refused), len(r.Unread))
	for _, list := range []struct {
		what  string
		notes []exchange.Note
	}{{"there with another text", r.Differ}, {"refused", r.Refused}, {"not read", r.Unread}} {
		listed(errOut, len(list.notes), maxFailures, "more "+list.what+"; --json lists them", func(i int) string {
			return oneLine(list.what+": "+list.notes[i].At+": "+list.notes[i].Reason, 400)
		})
	}
}

func exportCmd(a *app) *cobra.Command {
	var format, scope, agent string
	cmd := command("export DIR|-", "Write the entries as JSON or Markdown, to be imported elsewhere", cobra.ExactArgs(1), func(ctx context.Context, args []string) error {
		if format != "json" && format != "markdown" {
			return withExit(exitUsage, errors.New("export: --format is json or markdown"))
		}
		return a.withKernel(ctx, func(k *daemon.Kernel) error {
			caller := daemon.Self()
			caller.Agent = agent
			table := k.Store.Policies(ctx, caller)
			scopes := []memory.Scope{table.Named(memory.Scope(scope))}
			if scope == "" {
				scopes = slices.DeleteFunc(table.Scopes(), func(s memory.Scope) bool {
					return table[s].Keep == memory.KeepRAM || table[s].Owner == memory.OwnerAgent
				})
			}
			if table[scopes[0]].Keep == memory.KeepRAM {
				return memory.Errorf(memory.KindInvalid, "export", "%s is kept in RAM by the mount; rnixfs commit list shows it", scopes[0])
			}
			if err := emptyFolder(args[0]); err != nil {
				return err
			}
			for _, s := range scopes {
				id, err := k.Store.Resolve(ctx, caller, s)
				if err != nil {
					return err
				}
				v, err := k.Store.Reader(id).Load(ctx)
				if err != nil {
					return err
				}
				if err := exportScope(a.out, args[0], format, s, agent, v.Entries); err != nil {
					return err
				}
			}
			return nil
		})
	})
	cmd.Long = `Write the entries of this project, of all projects, of the profile and of the scopes
that memory.yaml adds to a new folder, or with - to standard output. Of JSON each
line is the request to commit that adds the entry; Markdown has its other fields as
front matter. rnixfs import --from json|markdown takes both in.`
	f := cmd.Flags()
	f.StringVar(&format, "format", "markdown", "json or markdown")
	f.StringVar(&scope, "scope", "", "only this scope")
	f.StringVar(&agent, "agent", "", "whose, with --scope agent")
	return cmd
}

// emptyFolder makes a folder, unless it is "-". What is in it already could pass for a
// part of the export.
func emptyFolder(dir string) error {
	if dir == "-" {
		return nil
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	there, err := os.ReadDir(dir)
	if err == nil && len(there) > 0 {
		err = withExit(exitUsage, errors.New("export: the folder is not empty"))
	}
	return err
}

// exportScope writes JSON to one file, and Markdown to a file for each entry.
func exportScope(out io.Writer, dir, format string, scope memory.Scope, agent string, list []*memory.Entry) (err error) {
	files, write := map[string]*bytes.Buffer{}, exchange.WriteLine
	for _, e := range list {
		name := string(scope) + ".jsonl"
		if format == "markdown" {
			write, name = exchange.WritePage, filepath.Join(string(scope), memory.DeriveKey(e.Key)+".md")
			for n := 2; files[name] != nil; n++ {
				name = filepath.Join(string(scope), fmt.Sprintf("%s-%d.md", memory.DeriveKey(e.Key), n))
			}
		}
		if files[name] == nil {
			files[name] = &bytes.Buffer{}
		}
		to := out
		if dir != "-" {
			to = files[name]
		}
		if err := write(to, scope, agent, e); err != nil {
			return err
		}
	}
	for name, text := range files {
		path := filepath.Join(dir, name)
		if dir != "-" {
			err = errors.Join(err, os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, text.Bytes(), 0o600))
		}
	}
	return err
}
