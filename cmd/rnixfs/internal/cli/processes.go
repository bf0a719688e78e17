package cli

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rnixfs/rnixfs/cmd/rnixfs/internal/daemon"
	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/process"
	"github.com/rnixfs/rnixfs/kernel/vfs"
)

func processesCmd(a *app) *cobra.Command {
	var project string
	var all, learned bool
	cmd := command("processes", "List, show and remove conversations", cobra.NoArgs, func(ctx context.Context, _ []string) error {
		return a.withOwn(ctx, func(own *daemon.User) error {
			projects := []string{daemon.Self().Project}
			var err error
			switch {
			case all:
				projects, err = own.Conversations.Projects(ctx)
			case project != "":
				projects[0], err = projectDir(project)
			}
			if err != nil {
				return err
			}
			return listConversations(ctx, a, own.Conversations, projects, all)
		})
	})
	cmd.Long = `List the conversations of this project, the latest first. "show" prints one, or with
UUID#TURN a turn and those around it, "rm"
deletes it with all its text, for good.`
	cmd.Flags().StringVar(&project, "project", "", "the project, instead of the one of the working directory")
	cmd.Flags().BoolVar(&all, "all", false, "of all projects")
	show := command("show UUID[#TURN]", "Print a conversation, or a turn of it with those around it", cobra.ExactArgs(1), func(ctx context.Context, args []string) error {
		return a.withOwn(ctx, func(own *daemon.User) error { return showConversation(ctx, a, own.Conversations, args[0]) })
	})
	remove := command("rm UUID...", "Delete conversations with all their text, for good", cobra.MinimumNArgs(1), func(ctx context.Context, args []string) error {
		return a.withOwn(ctx, func(own *daemon.User) error { return removeConversations(ctx, a, own, args, learned) })
	})
	remove.Flags().BoolVar(&learned, "learned", false, "remove what was learned from them, too; also of those that were deleted before")
	remove.Long = `Delete conversations with all their text, for good. A conversation that was
imported does not come back with a later import. The files of the program that it
was imported from are not touched. What was learned from them stays and is counted;
with --learned it goes, too, and is not learned again.`
	cmd.AddCommand(show, remove)
	return cmd
}

// listing is a row of the list.
type listing struct {
	process.Conversation
	Turns int   `json:"turns"`
	Bytes int64 `json:"bytes"`
}

func listConversations(ctx context.Context, a *app, s *process.Store, projects []string, withProject bool) error {
	list := []listing{}
	var bad error
	for _, project := range projects {
		sizes := map[string]process.Size{}
		for size, err := range s.Sizes(ctx, project) {
			bad = cmp.Or(bad, err)
			sizes[size.UUID] = size
		}
		for p, err := range s.Conversations(ctx, project) {
			bad = cmp.Or(bad, err)
			if p.UUID != "" {
				list = append(list, listing{p, sizes[p.UUID].Turns, sizes[p.UUID].Bytes})
			}
		}
	}
	slices.SortStableFunc(list, func(x, y listing) int { return y.Start.Compare(x.Start) })
	return errors.Join(bad, a.print(list, func(w io.Writer) {
		columns := 5
		if withProject {
			columns = 6
		}
		table(w, []any{"UUID", "AGENT", "START", "TURNS", "TITLE", "PROJECT"}[:columns], func(row func(...any)) {
			for _, p := range list {
				row([]any{
					p.UUID, oneLine(cmp.Or(p.Agent, "-"), 20), minute(p.Start), p.Turns,
					oneLine(cmp.Or(p.Title, "-"), 60), oneLine(cmp.Or(p.Project, "(none)"), 200),
				}[:columns]...)
			}
		})
	}))
}

// showConversation prints a conversation: for a person, or as a line of JSON for its
// description and one for each turn.
func showConversation(ctx context.Context, a *app, s *process.Store, uuid string) error {
	id, number, around := vfs.ParseTurn(uuid)
	if around {
		uuid = id
	}
	project, err := s.Find(ctx, uuid)
	if err != nil {
		return err
	}
	p, err := s.Conversation(ctx, project, uuid)
	if err != nil {
		return err
	}
	out := bufio.NewWriter(a.out)
	enc := json.NewEncoder(out)
	if a.json {
		err = enc.Encode(p)
	} else {
		showHeader(out, p)
	}
	turns := s.Turns(ctx, project, uuid, process.Position{})
	if around {
		turns = vfs.TurnsAround(ctx, s, project, uuid, number)
	}
	for turn, turnErr := range turns {
		switch {
		case err != nil || turnErr != nil:
			return errors.Join(err, turnErr, out.Flush())
		case a.json:
			err = enc.Encode(turn.Turn)
		default:
			err = showTurn(out, turn)
		}
	}
	return errors.Join(err, out.Flush())
}

func showHeader(w io.Writer, p process.Conversation) {
	for _, line := range [][2]string{
		{"conversation", p.UUID},
		{"title", p.Title},
		{"project", cmp.Or(p.Project, "(none)")},
		{"agent", strings.TrimSpace(p.Agent + " " + p.Model)},
		{"branch", p.Branch},
		{"started", minute(p.Start)},
		{"ended", minute(p.End)},
	} {
		if line[1] != "" && line[1] != "-" {
			fmt.Fprintf(w, "%-13s %s\n", line[0], oneLine(line[1], 400))
		}
	}
}

func showTurn(w io.Writer, t process.Placed) error {
	head := fmt.Sprintf("\n%d. %s", t.Number, t.Role)
	if t.Tool != "" {
		head += " " + oneLine(t.Tool, 60)
	}
	if t.Failed {
		head += ", failed"
	}
	if !t.Time.IsZero() {
		head += "  " + minute(t.Time)
	}
	_, err := fmt.Fprintf(w, "%s\n%s\n", head, indent(t.Content))
	return err
}

// indent sets a text apart, line by line, without characters that could move a
// terminal's cursor.
func indent(text string) string {
	var lines []string
	for line := range strings.SplitSeq(strings.TrimRight(text, "\n"), "\n") {
		line = oneLine(strings.ReplaceAll(line, "\t", "    "), len(line)*4+1)
		lines = append(lines, strings.TrimRight("    "+line, " "))
	}
	return strings.Join(lines, "\n")
}

// removeConversations removes conversations, and what was learned from them if that is
// wanted.
func removeConversations(ctx context.Context, a *app, own *daemon.User, uuids []string, learned bool) error {
	removed, count := []string{}, 0
	var failed error
	for _, uuid := range uuids {
		project, err := own.Conversations.Find(ctx, uuid)
		there := err == nil
		if learned && errors.Is(err, process.ErrRemoved) { // of this project, for all that is known
			project, err = daemon.Self().Project, nil
		}
		n := 0
		if err == nil {
			n, err = own.Learned(ctx, project, uuid, learned)
		}
		if there && err == nil {
			err = own.Conversations.Remove(ctx, project, uuid)
		}
		if err != nil {
			failed = memory.Errorf(memory.KindOf(err), "remove "+oneLine(uuid, 60), "%s", memory.ReasonOf(err))
			break
		}
		removed, count = append(removed, uuid), count+n
	}
	return errors.Join(failed, a.print(map[string]any{"removed": removed, "learned": count}, func(w io.Writer) {
		for _, uuid := range removed {
			fmt.Fprintln(w, "removed", uuid)
		}
		switch {
		case learned:
			fmt.Fprintf(w, "entries learned from it that are removed: %d\n", count)
		case count > 0:
			fmt.Fprintf(w, "entries learned from it that stay: %d; the same command with --learned removes them\n", count)
		}
	}))
}
