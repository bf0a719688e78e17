package cli

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/memory/store"
	"github.com/rnixfs/rnixfs/kernel/vfs/fuse"
)

// entriesCmd is the command of the commit or the profile device.
func entriesCmd(a *app, device string) *cobra.Command {
	about := map[string]string{
		"commit":  "Remember something of this project, or of all of them",
		"profile": "Remember who the user is",
	}[device]
	cmd := &cobra.Command{
		Use:   device + " [REQUEST]",
		Short: about,
		Long: about + `.

Without a subcommand it takes one request of the device protocol, as its argument
or from standard input, and prints the reply's message. In a subcommand, - in the
place of a text stands for what is on standard input.`,
		Example: `  rnixfs ` + device + ` add "The API signs JWTs with RS256" --tag auth
  pbpaste | rnixfs ` + device + ` add -
  rnixfs ` + device + ` list
  echo '{"action":"capacity"}' | rnixfs ` + device + ` --json`,
		Args: usageArgs(cobra.MaximumNArgs(1)),
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 1 && args[0] != "-" {
				return runAll(a, c, device, []byte(args[0]))
			}
			raw, err := stdin(c.Context(), a)
			if err != nil {
				return err
			}
			return runAll(a, c, device, raw)
		},
	}
	sub := func(use, short string, args cobra.PositionalArgs, flags []string, fill func(r request, args []string)) {
		s := &cobra.Command{
			Use: use, Short: short, Args: usageArgs(args),
			RunE: func(c *cobra.Command, args []string) error {
				if err := fromStdin(c.Context(), a, args); err != nil {
					return err
				}
				req := request{"action": strings.Fields(use)[0]}
				req.flags(c)
				fill(req, args)
				return run(a, c, device, req)
			},
		}
		if device == "commit" {
			scopeFlags(s)
		}
		for _, name := range flags {
			addFlag(s, name)
		}
		cmd.AddCommand(s)
	}
	none := func(request, []string) {}
	named := func(r request, a []string) { r.name(a[0]) }
	sub("add TEXT", "Remember TEXT", cobra.ExactArgs(1), addFlags(), func(r request, a []string) { r["content"] = a[0] })
	sub("put KEY TEXT", "Remember TEXT as the entry KEY, or put it in the place of what that has", cobra.ExactArgs(2), putFlags(), func(r request, a []string) {
		r["key"], r["content"] = a[0], a[1]
	})
	sub("replace OLD [NEW]", "Put NEW in the place of OLD: a whole text, an id or a key", cobra.RangeArgs(1, 2), []string{"set_metadata", "outcome", "also", "expected_revision"}, func(r request, a []string) {
		if r.name(a[0]); len(a) == 2 {
			r["new"] = a[1]
		}
	})
	sub("clear", "Remove every entry, pinned ones too; their history stays", cobra.NoArgs, []string{"confirm"}, none)
	sub("remove OLD", "Forget an entry, named by its whole text, its id or its key", cobra.ExactArgs(1), []string{"expected_revision"}, named)
	sub("reject OLD", "Remove an entry, whose text then stays away until a person brings it back", cobra.ExactArgs(1), []string{"expected_revision"}, named)
	sub("get NAME", "Show an entry, named by its whole text, its id or its key", cobra.ExactArgs(1), nil, named)
	sub("history NAME", "Show what happened to an entry", cobra.ExactArgs(1), nil, named)
	sub("restore NAME", "Bring an entry back to the state before its last change", cobra.ExactArgs(1), []string{"expected_revision", "revision"}, named)
	sub("list", "List the entries", cobra.NoArgs, listFlags, none)
	sub("snapshot", "Print the texts of all entries", cobra.NoArgs, nil, none)
	sub("capacity", "Show how much room is left", cobra.NoArgs, nil, none)
	return cmd
}

// scopeFlags are those that say whose entries a command means.
func scopeFlags(c *cobra.Command) {
	c.Flags().BoolP("global", "g", false, "of all projects, not of this one")
	addFlag(c, "target")
	addFlag(c, "agent")
	c.MarkFlagsMutuallyExclusive("global", "target")
}

// listFlags are the fields of a list that are flags.
var listFlags = []string{"where", "category", "type", "tags", "any_tags", "min_importance", "since", "until", "sort", "max_results", "cursor"}

// request is a request of the device protocol.
type request map[string]any

// name says which entry an argument means. A UUID is an id; a word that
// [memory.DeriveKey] leaves as it is may be a key; anything else is a text.
func (r request) name(arg string) {
	key, isKey := strings.CutPrefix(arg, "key:")
	switch action := r["action"]; {
	case len(arg) == 36 && strings.Count(arg, "-") == 4:
		r["id"] = arg
	case isKey, action == "restore", action == "undo":
		r["key"] = key
	case action == "replace" || action == "remove" || action == "reject":
		r["old"] = arg
	default:
		r["content"] = arg
	}
}

// flags puts in the flags that were given.
func (r request) flags(c *cobra.Command) {
	c.Flags().Visit(func(f *pflag.Flag) {
		switch field := f.Annotations[fieldOf]; {
		case f.Name == "global" && f.Value.String() == "true":
			r["target"] = memory.ScopeGlobal
		case f.Name == "append" && f.Value.String() == "true":
			r["on_key"] = memory.KeyAppend
		case f.Name == "set":
			r[field[0]] = metadata(c)
		case len(field) > 0 && field[0] == "where":
			given, _ := c.Flags().GetStringToString(f.Name)
			r[field[0]] = conditions(given)
		case len(field) > 0 && (field[0] == "since" || field[0] == "until"):
			r[field[0]] = moment(f.Value.String())
		case len(field) > 0:
			r[field[0]] = value(f.Value)
		}
	})
}

// moment is the time of a flag, which may say how long ago that is.
func moment(text string) string {
	if ago, err := memory.ParseTTL(text); err == nil {
		return time.Now().Add(-ago).UTC().Format(time.RFC3339)
	}
	return text
}

// conditions are those of --where: one of several values, each the text that it is and
// what JSON takes it for, since a shell knows texts only.
func conditions(given map[string]string) map[string][]any {
	where := map[string][]any{}
	for name, texts := range given {
		for text := range strings.SplitSeq(texts, ",") {
			where[name] = append(where[name], text)
			var v any
			if json.Unmarshal([]byte(text), &v) == nil {
				where[name] = append(where[name], v)
			}
		}
	}
	return where
}

// value is a flag's value as JSON has it.
func value(v pflag.Value) any {
	switch list, isList := v.(pflag.SliceValue); {
	case isList:
		return list.GetSlice()
	case v.Type() == "string":
		return v.String()
	}
	return json.RawMessage(v.String()) // a number, true or false
}

// metadata is what --set says: a number, true, false or null, else a text.
func metadata(c *cobra.Command) map[string]any {
	set := map[string]any{}
	given, _ := c.Flags().GetStringToString("set")
	for name, text := range given {
		set[name] = text
		if json.Valid([]byte(text)) {
			set[name] = json.RawMessage(text)
		}
	}
	return set
}

// fieldOf is the annotation of a flag that names the request's field.
const fieldOf = "field"

// addFlags are the fields of an entry that add takes as flags.
func addFlags() []string {
	fields := []string{"ttl", "also", "idempotency_key"}
	for _, f := range memory.EntryFields {
		if f.Request && f.Name != "content" && f.Name != "expires" && f.Name != "metadata" {
			fields = append(fields, f.Name)
		}
	}
	return fields
}

// putFlags are those that put takes, whose key is an argument.
func putFlags() []string {
	flags := append(addFlags(), "on_key", "set_metadata", "outcome", "expected_revision")
	return slices.DeleteFunc(flags, func(f string) bool { return f == "key" })
}

// flag is a flag of a request's field.
type flag struct {
	field string
	name  string // "": the field's, with dashes
	zero  any    // its default, of its type
	help  string
}

// fieldFlags are those of the fields that are no fields of an entry, and the names of
// the others that are not called like their field.
var fieldFlags = []flag{
	{"target", "", "", "the scope: memory, global_memory, session, agent, or another of memory.yaml"},
	{"agent", "", "", "whose scope, with --target agent"},
	{"on_key", "", "", "where KEY is taken: replace, append or refuse"},
	{"set_metadata", "set", map[string]string{}, "set a name of the metadata: `NAME=VALUE`; null removes it"},
	{"outcome", "", "", "success or failure, counted in the metadata"},
	{"also", "", []string{}, "write it to this target, too"},
	{"confirm", "", false, "do it"},
	{"ttl", "", "", "forget it after 90m, 12h, 30d"},
	{"idempotency_key", "", "", "do a repeated request once"},
	{"where", "", map[string]string{}, "`FIELD=VALUE`, or one of several: metadata.status=active, category=goal,task"},
	{"any_tags", "any-tag", []string{}, "with at least one of these tags"},
	{"min_importance", "", 0., "of this importance or more, 0 to 1"},
	{"since", "", "", "changed at this time or later: 2027-01-31T00:00:00Z, or 90m, 12h, 2d ago"},
	{"until", "", "", "changed before this time, or before 90m, 12h, 2d ago"},
	{"sort", "", "", "a field such as created, updated, importance, key or metadata.NAME, or relevance; -FIELD: the greatest first"},
	{"cursor", "", "", "go on where the page before ended"},
	{"max_results", "max", 0, "at most so many; without --sort, the newest"},
	{"expected_revision", "", int64(0), "refuse if the entry has changed since"},
	{"revision", "", int64(0), "the revision to bring back"},
	{field: "tags", name: "tag"},
	{field: "pinned", name: "pin"},
}

// addFlag makes the flag of a request's field.
func addFlag(c *cobra.Command, field string) {
	row := flag{field: field}
	if i := slices.IndexFunc(fieldFlags, func(f flag) bool { return f.field == field }); i >= 0 {
		row = fieldFlags[i]
	}
	if f := memory.EntryField(field); f != nil {
		row.zero, row.help = reflect.ValueOf(f.Pointer(&memory.Entry{Importance: memory.DefaultImportance})).Elem().Interface(), f.Help
	}
	addRows(c, row)
	if field == "on_key" {
		c.Flags().Bool("append", false, "put TEXT below what KEY has, with the date: --on-key append")
		c.MarkFlagsMutuallyExclusive("on-key", "append")
	}
}

// addRows makes flags that fill fields of a request.
func addRows(c *cobra.Command, rows ...flag) {
	fs := c.Flags()
	for _, f := range rows {
		name := cmp.Or(f.name, strings.ReplaceAll(f.field, "_", "-"))
		short := map[string]string{"tag": "t", "max": "n"}[name]
		switch zero := f.zero.(type) {
		case string:
			fs.String(name, zero, f.help)
		case bool:
			fs.Bool(name, zero, f.help)
		case int:
			fs.IntP(name, short, zero, f.help)
		case int64:
			fs.Int64(name, zero, f.help)
		case float64:
			fs.Float64(name, zero, f.help)
		case []string:
			fs.StringSliceP(name, short, nil, f.help)
		case map[string]string:
			fs.StringToString(name, nil, f.help)
			fs.Lookup(name).DefValue = ""
		}
		_ = fs.SetAnnotation(name, fieldOf, []string{f.field}) // it is there
	}
}

// runAll sends requests that follow one another, in order, until one fails.
func runAll(a *app, c *cobra.Command, device string, raw []byte) error {
	dec := json.NewDecoder(bytes.NewReader(raw))
	for n := 0; ; n++ {
		var request json.RawMessage
		err := dec.Decode(&request)
		switch {
		case errors.Is(err, io.EOF) && n == 0:
			return withExit(exitUsage, fmt.Errorf("%s: no request; give one as the argument or on standard input", device))
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return memory.Errorf(memory.KindInvalid, device, "request %d is not JSON, or is cut off; those before it are done", n+1)
		}
		if err := run(a, c, device, []byte(request)); err != nil {
			return err
		}
	}
}

// run sends a request to a device and shows the reply.
func run(a *app, c *cobra.Command, device string, req any) error {
	body, err := a.call(c.Context(), device, req)
	return finishReply(a, body, err, showReply)
}

// finishReply ends a command with a device's reply, which show writes for a person.
func finishReply[R any](a *app, body []byte, err error, show func(io.Writer, *R)) error {
	return a.finish(body, err, func(body []byte) error {
		var reply R
		if err := json.Unmarshal(body, &reply); err != nil {
			return err
		}
		return a.print(nil, func(w io.Writer) { show(w, &reply) })
	})
}

func showReply(w io.Writer, r *store.Reply) {
	switch {
	case r.Snapshot != nil:
		if *r.Snapshot != "" {
			fmt.Fprintln(w, *r.Snapshot)
		}
		return
	case r.Entries != nil:
		showEntries(w, []store.Reply{*r}, false)
		return
	case r.Entry != nil:
		fmt.Fprintln(w, r.Entry.Content)
		return
	case r.History != nil:
		showHistory(w, *r.History)
		return
	case r.Message == "":
		showRoom(w, r)
		return
	}
	fmt.Fprint(w, r.Message)
	if r.ID != "" {
		fmt.Fprintf(w, " (%s, revision %d, id %s)", r.Key, r.Revision, r.ID)
	}
	if r.Folder != "" && r.Target == memory.ScopeProject && !here(r.Folder) {
		fmt.Fprintf(w, "\nin %s", r.Folder)
	}
	if r.Duplicate != "" {
		fmt.Fprintf(w, "\nnote: an entry with the same text was there already: %s", r.Duplicate)
	}
	fmt.Fprintln(w)
}

// here reports whether a project's folder belongs to the project of this directory.
func here(folder string) bool {
	cwd, err := os.Getwd()
	project := filepath.Dir(filepath.Dir(folder)) // of .rnix/memory
	return err == nil && (cwd == project || strings.HasPrefix(cwd, project+"/"))
}

func showRoom(w io.Writer, r *store.Reply) {
	fmt.Fprintf(w, "%d of %d characters used, %d left", r.Used, r.Limit, r.Remaining)
	if r.EntryLimit > 0 && r.Count != nil {
		fmt.Fprintf(w, ", %d of %d entries", *r.Count, r.EntryLimit)
	}
	fmt.Fprintln(w)
	if r.Folder != "" {
		fmt.Fprintln(w, "in", r.Folder)
	}
}

// showEntries shows lists; scopes names the scope in each row.
func showEntries(w io.Writer, lists []store.Reply, scopes bool) {
	cells := func(scope any, rest ...any) []any {
		if scopes {
			return append([]any{scope}, rest...)
		}
		return rest
	}
	table(w, cells("SCOPE", "KEY", "REV", "UPDATED", "TAGS", "TEXT"), func(row func(...any)) {
		for _, r := range lists {
			for _, e := range *r.Entries {
				row(cells(r.Target, e.Key, e.Revision, day(e.Updated), strings.Join(e.Tags, ","), oneLine(e.Content, 80))...)
			}
		}
	})
	for _, r := range lists {
		if len(*r.Entries) < *r.Count {
			fmt.Fprintf(w, "%d of %d entries\n", len(*r.Entries), *r.Count)
		}
		if r.Next != "" && len(lists) == 1 {
			fmt.Fprintln(w, "more: --cursor", r.Next)
		}
		if !scopes {
			fmt.Fprintf(w, "%d of %d characters used\n", r.Used, r.Limit)
		}
	}
}

func showHistory(w io.Writer, recs []memory.Record) {
	table(w, []any{"REV", "TIME", "ACTION", "BY", "TEXT"}, func(row func(...any)) {
		for _, r := range recs {
			e, rev := r.After, ""
			if e == nil {
				e = r.Before
			} else {
				rev = fmt.Sprint(e.Revision)
			}
			row(rev, r.Time.Local().Format(time.DateTime), r.Action, cmp.Or(string(r.Actor.Trust), "unknown"), oneLine(e.Content, 80))
		}
	})
}

// fromStdin puts what is on standard input in the place of an argument "-", without
// the line's end that echo and editors put there.
func fromStdin(ctx context.Context, a *app, args []string) error {
	at := slices.Index(args, "-")
	if at < 0 {
		return nil
	}
	if slices.Index(args[at+1:], "-") >= 0 {
		return withExit(exitUsage, errors.New("standard input can be read once only: give - once"))
	}
	raw, err := stdin(ctx, a)
	args[at] = strings.TrimRight(string(raw), "\r\n")
	return err
}

// stdin is all of standard input.
func stdin(ctx context.Context, a *app) ([]byte, error) {
	return await(ctx, fuse.Patience{}, func() ([]byte, error) { return io.ReadAll(a.in) })
}
