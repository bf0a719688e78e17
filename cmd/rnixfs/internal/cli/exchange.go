package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/rnixfs/rnixfs/cmd/rnixfs/internal/daemon"
	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/memory/exchange"
	"github.com/rnixfs/rnixfs/kernel/memory/store"
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
		l, err := a.settings(ctx, daemon.Self().Project)
		if err != nil {
			return err
		}
		table := l.Policies()
		if _, known := table[memory.Scope(scope)]; scope != "" && !known {
			return memory.Errorf(memory.KindInvalid, "export", "unknown scope: %s", memory.QuoteName(scope))
		}
		out := outlet{dir: args[0], format: format, out: a.out}
		if err := out.prepare(); err != nil {
			return err
		}
		for _, name := range table.Scopes() {
			policy := table[name]
			kept := policy.Keep == memory.KeepFiles && policy.Owner != memory.OwnerAgent
			if wanted := table.Named(memory.Scope(scope)); wanted != name && (scope != "" || !kept) {
				continue
			}
			list, err := a.list(ctx, name, agent)
			if err == nil {
				err = out.write(name, agent, list)
			}
			if err != nil {
				return fmt.Errorf("export %s: %w", name, err)
			}
		}
		return nil
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

// list returns the entries of a scope.
func (a *app) list(ctx context.Context, scope memory.Scope, agent string) ([]*memory.Entry, error) {
	device, req := "commit", request{"action": "list", "target": scope}
	switch scope {
	case memory.ScopeUser:
		device = "profile"
	case memory.ScopeAgent:
		req["agent"] = agent
	}
	raw, err := json.Marshal(req)
	if err != nil {
		return nil, err
	}
	var reply store.Reply
	body, err := a.call(ctx, device, raw)
	if err == nil {
		err = json.Unmarshal(body, &reply)
	}
	if err != nil || reply.Entries == nil {
		return nil, err
	}
	return *reply.Entries, nil
}

// outlet is where entries are exported to.
type outlet struct {
	dir, format string
	out         io.Writer
}

// prepare makes the folder, which must have nothing in it: what is there could pass for
// an export.
func (o outlet) prepare() error {
	if o.dir == "-" {
		return nil
	}
	if err := os.MkdirAll(o.dir, 0o700); err != nil {
		return err
	}
	there, err := os.ReadDir(o.dir)
	if err == nil && len(there) > 0 {
		err = withExit(exitUsage, errors.New("export: the folder is not empty"))
	}
	return err
}

func (o outlet) write(scope memory.Scope, agent string, list []*memory.Entry) error {
	write, all, names := exchange.WriteLine, &bytes.Buffer{}, map[string]bool{}
	if o.format == "markdown" {
		write = exchange.WritePage
	}
	for _, e := range list {
		if err := write(all, scope, agent, e); err != nil {
			return err
		}
		if o.dir == "-" || o.format == "json" {
			continue
		}
		name := memory.DeriveKey(e.Key)
		for n := 2; names[name]; n++ {
			name = memory.DeriveKey(e.Key) + "-" + strconv.Itoa(n)
		}
		names[name] = true
		if err := o.file(filepath.Join(string(scope), name+".md"), all); err != nil {
			return err
		}
	}
	switch {
	case all.Len() == 0:
		return nil
	case o.dir == "-":
		_, err := all.WriteTo(o.out)
		return err
	}
	return o.file(string(scope)+".jsonl", all)
}

func (o outlet) file(name string, text *bytes.Buffer) error {
	path := filepath.Join(o.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	defer text.Reset()
	return os.WriteFile(path, text.Bytes(), 0o600)
}
