package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/rnixfs/rnixfs/kernel/vfs"
	"github.com/rnixfs/rnixfs/kernel/vfs/fuse"
)

func recallCmd(a *app) *cobra.Command {
	var documents bool
	cmd := searchCmd(a, "recall WORDS...", "Search what is remembered", func(req request) {
		if documents {
			req["sources"] = []string{"knowledge"}
		}
	})
	cmd.Example = `  rnixfs recall how do we sign tokens
  rnixfs recall -- what does go env -w do`
	addRows(cmd,
		flag{"sources", "source", []string{}, "memory (entries), conversation (turns), knowledge (documents); the first two without it"},
		flag{"role", "", "", "only turns by user, assistant, tool or system"},
		flag{"process", "", "", "only turns of the conversation with this uuid"},
		flag{"agent", "", "", "only turns of this agent: claude, codex, ..."})
	cmd.Flags().BoolVar(&documents, "knowledge", false, "search the documents that rnixfs knowledge lists, and nothing else")
	return cmd
}

// indexPatience is how long a search waits for what was not indexed yet, as after an import.
const indexPatience = 3 * time.Second

// searchCmd is a command that searches; fill puts more into the request.
func searchCmd(a *app, use, short string, fill func(request)) *cobra.Command {
	cmd := &cobra.Command{
		Use: use, Short: short,
		Args: usageArgs(cobra.MinimumNArgs(1)),
		RunE: func(c *cobra.Command, args []string) error {
			req := request{"query": strings.Join(args, " ")}
			req.flags(c)
			fill(req)
			if page := a.searchPage(c.Context(), req); page != "" {
				return a.write(page)
			}
			if _, given := req["max_results"]; !given {
				req["max_results"] = shownResults
			}
			body, err := caughtUp(c.Context(), indexPatience, func() ([]byte, error) { return a.call(c.Context(), "recall", req) })
			return a.finish(body, err, func(body []byte) error { return showFound(a, body) })
		},
	}
	cmd.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		return withExit(exitUsage, fmt.Errorf("%w\nwords that begin with -: %s -- WORDS\nsee: %[2]s --help", err, c.CommandPath()))
	})
	addRows(cmd,
		flag{"max_results", "max", 0, "at most so many results; 10 without it"},
		flag{"summarize", "", false, "begin with a digest of the best results"},
		flag{"scope", "", "", "all, project or global"},
		flag{"tags", "tag", []string{}, "only entries with these tags"},
		flag{"category", "", "", "only entries of this category"},
		flag{"type", "", "", "only entries of this type"},
		flag{"since", "", "", "only from this time on: 2027-01-31T00:00:00Z, or 90m, 12h, 2d ago"},
		flag{"until", "", "", "only before this time, or before 90m, 12h, 2d ago"},
		flag{"explain", "", false, "with --json: how each score came about"})
	return cmd
}

// shownResults are shown where no number is given.
const shownResults = 10

// searchPage is what search/ has of a query, where a sandbox lets this process do no more
// than read the mount: unlike a kernel of its own, that knows the session. "" where there
// is no such mount, or more is asked for than a page has.
func (a *app) searchPage(ctx context.Context, req request) string {
	query, _ := req["query"].(string)
	mountpoint, err := a.mountpoint()
	if err != nil || len(req) > 1 || a.json || strings.Contains(query, "/") {
		return ""
	}
	page, _ := awaitMount(ctx, mountpoint, func() ([]byte, error) {
		if state, err := fuse.MountState(mountpoint); err != nil || state != fuse.StateLive || !fuse.ReadOnly(mountpoint) {
			return nil, err
		}
		return os.ReadFile(filepath.Join(mountpoint, "search", query)) // a kernel of its own says what is wrong
	})
	return string(page)
}

func showFound(a *app, body []byte) error {
	var reply vfs.RecallReply
	if err := json.Unmarshal(body, &reply); err != nil {
		return err
	}
	for _, u := range reply.Unread {
		fmt.Fprintf(a.err, "rnixfs: warning: %s is not searched: %s\n", cmp.Or(string(u.Target), u.Source), oneLine(shown(u.Error), 400))
	}
	f, ok := a.out.(*os.File)
	bold := ok && isTerminal(f)
	return a.print(nil, func(w io.Writer) { showResults(w, &reply, bold) })
}

func showResults(w io.Writer, reply *vfs.RecallReply, bold bool) {
	if reply.Behind {
		fmt.Fprintln(w, "more is still being indexed: there may be better results in a moment")
	}
	if len(reply.Results) == 0 {
		fmt.Fprintln(w, strings.TrimSuffix("nothing found; "+reply.Hint, "; "))
		fmt.Fprint(w, reply.Nothing())
		return
	}
	if reply.Summary != "" {
		fmt.Fprintf(w, "%s\n\n", reply.Summary)
	}
	if len(reply.Missing) > 0 {
		fmt.Fprintf(w, "nothing that was searched has the words: %s\n", oneLine(strings.Join(reply.Missing, ", "), 400))
	}
	turns := false
	for i, r := range reply.Results {
		from := oneLine(r.Key, 200) + ", " + day(r.Timestamp) + " " + string(r.Target)
		if r.Archived {
			from += ", archived"
		}
		switch r.Source {
		case "knowledge":
			from = oneLine(r.Title, 200) + ", " + oneLine(r.Path, 400)
		case "conversation":
			from = fmt.Sprintf("%s, %s#%d", strings.TrimSpace(r.Agent+" "+string(r.Role)), r.UUID, r.Turn)
			turns = true
			if !r.Timestamp.IsZero() {
				from = day(r.Timestamp) + ", " + from
			}
			if r.Title != "" {
				from = oneLine(r.Title, 80) + ", " + from
			}
		}
		if r.Same > 0 {
			from += fmt.Sprintf(", said %d times", r.Same+1)
		}
		marks := r.Marks
		if !bold {
			marks = nil
		}
		fmt.Fprintf(w, "%2d. %s\n    %s, score %.2f\n", i+1, highlight(r.Found(), marks), from, r.Score)
	}
	if turns {
		fmt.Fprintln(w, "a turn with those around it: rnixfs processes show UUID#TURN")
	}
}

// highlight makes the marked words bold.
func highlight(snippet string, marks [][2]int) string {
	var b strings.Builder
	at := 0
	for _, m := range marks {
		if m[0] < at || m[1] > len(snippet) || m[0] > m[1] {
			continue
		}
		b.WriteString(oneLine(snippet[at:m[0]], 400) + "\x1b[1m" + oneLine(snippet[m[0]:m[1]], 400) + "\x1b[0m")
		at = m[1]
	}
	return b.String() + oneLine(snippet[at:], 400)
}
