package cli

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/memory/store"
	"github.com/rnixfs/rnixfs/kernel/vfs/fuse"
)

// entriesCmd is the command of the commit or the profile device.
func (a *app) entriesCmd(device string) *cobra.Command {
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
			raw, err := await(c.Context(), fuse.Patience{}, func() ([]byte, error) { return argOrStdin(a.in, args) })
			if err != nil {
				return err
			}
			return a.runAll(c, device, raw)
		},
	}
	sub := func(use, short string, args cobra.PositionalArgs, flags func(*cobra.Command, *entryFlags), fill func(*store.Request, []string)) {
		f := &entryFlags{}
		s := &cobra.Command{
			Use: use, Short: short, Args: usageArgs(args),
			RunE: func(c *cobra.Command, args []string) error {
				if err := a.fromStdin(c.Context(), args); err != nil {
					return err
				}
				req := store.Request{Action: strings.Fields(use)[0]}
				f.apply(c, &req)
				fill(&req, args)
				raw, err := json.Marshal(req)
				if err != nil {
					return err
				}
				return a.run(c, device, raw)
			},
		}
		if device == "commit" {
			s.Flags().BoolVarP(&f.global, "global", "g", false, "of all projects, not of this one")
		}
		if flags != nil {
			flags(s, f)
		}
		cmd.AddCommand(s)
	}
	none := func(*store.Request, []string) {}
	sub("add TEXT", "Remember TEXT", cobra.ExactArgs(1), addFlags, func(r *store.Request, a []string) { r.Content = &a[0] })
	sub("replace OLD NEW", "Put NEW in the place of OLD: a whole text, an id or a key", cobra.ExactArgs(2), revisionFlag, func(r *store.Request, a []string) {
		name(r, a[0])
		r.New = &a[1]
	})
	sub("remove OLD", "Forget an entry, named by its whole text, its id or its key", cobra.ExactArgs(1), revisionFlag, func(r *store.Request, a []string) { name(r, a[0]) })
	sub("get NAME", "Show an entry, named by its whole text, its id or its key", cobra.ExactArgs(1), nil, func(r *store.Request, a []string) { name(r, a[0]) })
	sub("history NAME", "Show what happened to an entry", cobra.ExactArgs(1), nil, func(r *store.Request, a []string) { name(r, a[0]) })
	sub("restore NAME", "Bring an entry back to the state before its last change", cobra.ExactArgs(1), restoreFlags, func(r *store.Request, a []string) { name(r, a[0]) })
	sub("list", "List the entries", cobra.NoArgs, listFlags, none)
	sub("snapshot", "Print the texts of all entries", cobra.NoArgs, nil, none)
	sub("capacity", "Show how much room is left", cobra.NoArgs, nil, none)
	return cmd
}

// name says which entry an argument means. A UUID is an id; a word that
// [memory.DeriveKey] leaves as it is may be a key; anything else is a text.
func name(r *store.Request, arg string) {
	switch {
	case len(arg) == 36 && strings.Count(arg, "-") == 4:
		r.ID = arg
	case strings.HasPrefix(arg, "key:"):
		key := strings.TrimPrefix(arg, "key:")
		r.Key = &key
	case r.Action == "replace" || r.Action == "remove":
		r.Old = &arg
	case r.Action == "restore":
		r.Key = &arg
	default:
		r.Content = &arg
	}
}

type entryFlags struct {
	global                        bool
	key, category, typ, ttl, idem string
	tags                          []string
	importance                    float64
	pinned                        bool
	expected, revision            int64
	max                           int
}

func (f *entryFlags) apply(c *cobra.Command, r *store.Request) {
	set := func(name string, do func()) {
		if fl := c.Flags().Lookup(name); fl != nil && fl.Changed {
			do()
		}
	}
	if f.global {
		r.Target = string(memory.ScopeGlobal)
	}
	set("key", func() { r.Key = &f.key })
	set("category", func() { r.Category = &f.category })
	set("type", func() { r.Type = &f.typ })
	set("ttl", func() { r.TTL = &f.ttl })
	set("tag", func() { r.Tags = &f.tags })
	set("importance", func() { r.Importance = &f.importance })
	set("pin", func() { r.Pinned = &f.pinned })
	set("expected-revision", func() { r.ExpectedRevision = &f.expected })
	set("revision", func() { r.Revision = &f.revision })
	r.IdempotencyKey, r.MaxResults = f.idem, f.max
}

func addFlags(c *cobra.Command, f *entryFlags) {
	listFlags(c, f)
	c.Flags().StringVar(&f.key, "key", "", "a key of your choice; it names the file")
	c.Flags().StringVar(&f.ttl, "ttl", "", "forget it after 90m, 12h, 30d")
	c.Flags().Float64Var(&f.importance, "importance", memory.DefaultImportance, "0 to 1")
	c.Flags().BoolVar(&f.pinned, "pin", false, "never evict it")
	c.Flags().StringVar(&f.idem, "idempotency-key", "", "do a repeated request once")
	_ = c.Flags().MarkHidden("max")
}

func listFlags(c *cobra.Command, f *entryFlags) {
	c.Flags().StringSliceVarP(&f.tags, "tag", "t", nil, "tags")
	c.Flags().StringVar(&f.category, "category", "", "a word such as convention, decision, preference")
	c.Flags().StringVar(&f.typ, "type", "", "a word such as semantic, episodic, procedural")
	c.Flags().IntVar(&f.max, "max", 0, "at most so many, the newest")
}

func revisionFlag(c *cobra.Command, f *entryFlags) {
	c.Flags().Int64Var(&f.expected, "expected-revision", 0, "refuse if the entry has changed since")
}

func restoreFlags(c *cobra.Command, f *entryFlags) {
	revisionFlag(c, f)
	c.Flags().Int64Var(&f.revision, "revision", 0, "the revision to bring back")
}

// runAll sends requests that follow one another, in order, until one fails.
func (a *app) runAll(c *cobra.Command, device string, raw []byte) error {
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
		if err := a.run(c, device, request); err != nil {
			return err
		}
	}
}

// run sends a request to a device and shows the reply.
func (a *app) run(c *cobra.Command, device string, raw []byte) error {
	body, err := a.call(c.Context(), device, raw)
	return a.finish(body, err, func(body []byte) error {
		var reply store.Reply
		if err := json.Unmarshal(body, &reply); err != nil {
			return err
		}
		return showReply(a.out, &reply)
	})
}

func showReply(w io.Writer, r *store.Reply) error {
	switch {
	case r.Snapshot != nil:
		if *r.Snapshot == "" {
			return nil
		}
		_, err := fmt.Fprintln(w, *r.Snapshot)
		return err
	case r.Entries != nil:
		return showEntries(w, r)
	case r.Entry != nil:
		_, err := fmt.Fprintln(w, r.Entry.Content)
		return err
	case r.History != nil:
		return showHistory(w, *r.History)
	case r.Message == "":
		_, err := fmt.Fprintf(w, "%d of %d characters used, %d left\n", r.Used, r.Limit, r.Remaining)
		return err
	}
	more := ""
	if r.ID != "" {
		more = " (" + r.Key + ", revision " + fmt.Sprint(r.Revision) + ", id " + r.ID + ")"
	}
	if r.Duplicate != "" {
		more += "\nnote: an entry with the same text was there already: " + r.Duplicate
	}
	_, err := fmt.Fprintf(w, "%s%s\n", r.Message, more)
	return err
}

func showEntries(w io.Writer, r *store.Reply) error {
	t := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	fmt.Fprintln(t, "KEY\tREV\tUPDATED\tTAGS\tTEXT")
	for _, e := range *r.Entries {
		fmt.Fprintf(t, "%s\t%d\t%s\t%s\t%s\n", e.Key, e.Revision, day(e.Updated), strings.Join(e.Tags, ","), oneLine(e.Content, 80))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "%d of %d characters used\n", r.Used, r.Limit)
	return err
}

func showHistory(w io.Writer, recs []memory.Record) error {
	t := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	fmt.Fprintln(t, "REV\tTIME\tACTION\tBY\tTEXT")
	for _, r := range recs {
		e, rev := r.After, ""
		if e == nil {
			e = r.Before
		} else {
			rev = fmt.Sprint(e.Revision)
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\n", rev, r.Time.Local().Format(time.DateTime), r.Action, cmp.Or(string(r.Actor.Trust), "unknown"), oneLine(e.Content, 80))
	}
	return t.Flush()
}

func day(t time.Time) string { return t.Local().Format(time.DateOnly) }

// oneLine makes a text fit for a table: control characters, which could move a
// terminal's cursor, become blanks.
func oneLine(s string, runes int) string {
	s = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || (r >= 0x80 && r < 0xa0) {
			return ' '
		}
		return r
	}, s)
	if r := []rune(s); len(r) > runes {
		return string(r[:runes-1]) + "…"
	}
	return s
}

// fromStdin puts what is on standard input in the place of an argument "-", without
// the line's end that echo and editors put there.
func (a *app) fromStdin(ctx context.Context, args []string) error {
	at := slices.Index(args, "-")
	if at < 0 {
		return nil
	}
	if slices.Index(args[at+1:], "-") >= 0 {
		return withExit(exitUsage, errors.New("standard input can be read once only: give - once"))
	}
	raw, err := await(ctx, fuse.Patience{}, func() ([]byte, error) { return io.ReadAll(a.in) })
	args[at] = strings.TrimRight(string(raw), "\r\n")
	return err
}

// argOrStdin is the one argument, or all of standard input.
func argOrStdin(in io.Reader, args []string) ([]byte, error) {
	if len(args) == 1 && args[0] != "-" {
		return []byte(args[0]), nil
	}
	return io.ReadAll(in)
}
