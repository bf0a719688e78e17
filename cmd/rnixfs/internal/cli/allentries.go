package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/memory/store"
	"github.com/rnixfs/rnixfs/kernel/vfs"
)

// allEntriesCmd is the command of the entries of any scope, or of all.
func allEntriesCmd(a *app) *cobra.Command {
	group := &cobra.Command{
		Use:   "entries",
		Short: "List, show, search and clear the entries of one scope or of all",
		Long: `List, show, search and clear the entries of this project, of the scope that --target
names, or, with --all-scopes, of every scope of yours that can be read from here.`,
		Example: `  rnixfs entries list --all-scopes --sort=-updated
  rnixfs entries list --where metadata.status=active,blocked --sort metadata.priority
  rnixfs entries show the-tests-need-redis`,
		Args: cobra.ArbitraryArgs,
		RunE: groupRun,
	}
	sub := func(use, short string, args cobra.PositionalArgs, run func(*cobra.Command, []string, []address) error) *cobra.Command {
		s := &cobra.Command{Use: use, Short: short, Args: usageArgs(args)}
		scopeFlags(s)
		s.Flags().Bool("all-scopes", false, "of every scope of yours that can be read from here")
		s.MarkFlagsMutuallyExclusive("all-scopes", "global", "target")
		s.RunE = func(c *cobra.Command, args []string) error {
			at, err := a.addresses(c)
			if err == nil {
				err = run(c, args, at)
			}
			return a.finish(nil, err, func([]byte) error { return nil })
		}
		group.AddCommand(s)
		return s
	}
	list := sub("list", "List the entries", cobra.NoArgs, a.listEntries)
	for _, name := range listFlags {
		addFlag(list, name)
	}
	list.MarkFlagsMutuallyExclusive("all-scopes", "cursor")
	sub("show NAME", "Show all of an entry, named by its key or its id", cobra.ExactArgs(1), a.showEntry)
	addFlag(sub("clear", "Remove every entry, pinned ones too; their history stays", cobra.NoArgs, a.clearEntries), "confirm")
	search := searchCmd(a, "search WORDS...", "Search the entries, as recall does, and no conversations", func(r request) { r["sources"] = []string{"memory"} })
	search.Flags().Bool("all-scopes", false, "of every scope that recall finds: so it is without --scope")
	search.MarkFlagsMutuallyExclusive("all-scopes", "scope")
	group.AddCommand(search)
	return group
}

// address is where a request goes: to a scope, by a device.
type address struct {
	device string
	scope  memory.Scope // "": the device's own
}

// addressOf is where a request to a scope goes.
func addressOf(scope memory.Scope) address {
	if scope == memory.ScopeUser {
		return address{"profile", scope}
	}
	return address{"commit", scope}
}

// addresses are those of the scopes that the flags name.
func (a *app) addresses(c *cobra.Command) (list []address, err error) {
	if all, _ := c.Flags().GetBool("all-scopes"); all {
		return a.allAddresses(c.Context())
	}
	target, _ := c.Flags().GetString("target")
	if global, _ := c.Flags().GetBool("global"); global {
		target = string(memory.ScopeGlobal)
	}
	return []address{addressOf(memory.Scope(target))}, nil
}

// allAddresses are those of every scope of the caller's that can be read.
func (a *app) allAddresses(ctx context.Context) (list []address, err error) {
	body, err := a.read(ctx, "status")
	var status vfs.Status
	if err == nil {
		err = json.Unmarshal(body, &status)
	}
	for _, scope := range slices.Sorted(maps.Keys(status.Scopes)) {
		if why := status.Scopes[scope].Error; why != "" {
			fmt.Fprintf(a.err, "rnixfs: warning: %s is left out: %s\n", scope, oneLine(shown(why), 400))
			continue
		}
		list = append(list, addressOf(scope))
	}
	return list, err
}

// send sends a request of a command's flags to a scope. With --json it prints the reply.
func (a *app) send(c *cobra.Command, at address, req request) (reply store.Reply, err error) {
	req = maps.Clone(req)
	req.flags(c)
	delete(req, "target")
	if at.scope != "" {
		req["target"] = at.scope
	}
	body, err := a.call(c.Context(), at.device, req)
	if err == nil {
		err = json.Unmarshal(body, &reply)
	}
	if err == nil && a.json {
		_, err = a.out.Write(body)
	}
	return reply, err
}

func (a *app) listEntries(c *cobra.Command, _ []string, at []address) error {
	var lists []store.Reply
	err := a.sendAll(c, at, request{"action": "list"}, func(r store.Reply) { lists = append(lists, r) })
	if err != nil || a.json {
		return err
	}
	return a.print(nil, func(w io.Writer) { showEntries(w, lists, true) })
}

// clearEntries goes on after a scope that could not be cleared; without --confirm, each
// says what it would remove.
func (a *app) clearEntries(c *cobra.Command, _ []string, at []address) error {
	var refused []error
	for _, to := range at {
		reply, err := a.send(c, to, request{"action": "clear"})
		if err == nil && !a.json {
			fmt.Fprintln(a.out, reply.Message)
		}
		refused = append(refused, err)
	}
	return errors.Join(refused...)
}

// showEntry shows the entry of each scope that has one of this name.
func (a *app) showEntry(c *cobra.Command, args []string, at []address) error {
	named := request{"action": "restore"} // it takes a key or an id, and no text
	named.name(args[0])
	var missing error
	found := 0
	for _, to := range at {
		named["action"] = "get"
		reply, err := a.send(c, to, named)
		if memory.KindOf(err) == memory.KindNotFound {
			missing = err
			continue
		}
		var past store.Reply
		if err == nil {
			past, err = a.send(c, to, request{"action": "history", "id": reply.ID, "max_results": 1})
		}
		if err != nil {
			return err
		}
		if found++; found > 1 && !a.json {
			fmt.Fprintln(a.out)
		}
		if !a.json {
			err = a.print(nil, func(w io.Writer) { showWhole(w, &reply, *past.Count) })
		}
		if err != nil {
			return err
		}
	}
	if found == 0 {
		return missing
	}
	return nil
}

// showWhole shows every field that an entry has, and how many changes of it are known.
func showWhole(w io.Writer, r *store.Reply, changes int) {
	line := func(name string, v any) {
		raw, err := json.Marshal(v)
		if err != nil {
			return // it came as JSON
		}
		text := string(raw)
		_ = json.Unmarshal(raw, &text) // a text is shown without its quotes
		fmt.Fprintf(w, "%s: %s\n", oneLine(name, 200), oneLine(text, 20000))
	}
	line("scope", r.Target)
	for _, f := range memory.EntryFields {
		v := reflect.ValueOf(f.Pointer(r.Entry)).Elem()
		values, isMap := v.Interface().(map[string]any)
		for _, name := range slices.Sorted(maps.Keys(values)) {
			line(f.Name+"."+name, values[name])
		}
		if !isMap && !v.IsZero() && f.Name != "content" {
			line(f.Name, v.Interface())
		}
	}
	line("changes", changes)
	fmt.Fprintln(w, "\n"+strings.TrimRight(r.Entry.Content, "\n"))
}
