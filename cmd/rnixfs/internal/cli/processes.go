package cli

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/rnixfs/rnixfs/cmd/rnixfs/internal/daemon"
	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/process"
)

func (a *app) processesCmd() *cobra.Command {
	var project string
	var all bool
	cmd := &cobra.Command{
		Use:   "processes",
		Short: "List, show and remove conversations",
		Long: `List the conversations of this project, the latest first. "show" prints one, "rm"
deletes it with all its text, for good.`,
		Args: usageArgs(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error {
			return a.withConversations(c.Context(), func(s *process.Store) error {
				projects := []string{daemon.Self().Project}
				var err error
				switch {
				case all:
					projects, err = s.Projects(c.Context())
				case project != "":
					projects[0], err = projectDir(project)
				}
				if err != nil {
					return err
				}
				return a.listProcesses(c.Context(), s, projects, all)
			})
		},
	}
	cmd.Flags().StringVar(&project, "project", "", "the project, instead of the one of the working directory")
	cmd.Flags().BoolVar(&all, "all", false, "of all projects")
	cmd.AddCommand(
		&cobra.Command{
			Use: "show UUID", Short: "Print a conversation", Args: usageArgs(cobra.ExactArgs(1)),
			RunE: func(c *cobra.Command, args []string) error {
				return a.withConversations(c.Context(), func(s *process.Store) error { return a.showProcess(c.Context(), s, args[0]) })
			},
		},
		&cobra.Command{
			Use: "rm UUID...", Short: "Delete conversations with all their text, for good", Args: usageArgs(cobra.MinimumNArgs(1)),
			Long: `Delete conversations with all their text, for good. A conversation that was
imported does not come back with a later import. The files of the program that it
was imported from are not touched.`,
			RunE: func(c *cobra.Command, args []string) error {
				return a.withConversations(c.Context(), func(s *process.Store) error { return a.removeProcesses(c.Context(), s, args) })
			},
		},
	)
	return cmd
}

// withConversations calls fn with the conversations of this user.
func (a *app) withConversations(ctx context.Context, fn func(*process.Store) error) (err error) {
	k, err := a.kernel(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, k.Close()) }()
	s, err := k.Conversations(uint32(os.Getuid()))
	if err != nil {
		return err
	}
	return fn(s)
}

// listed is a row of the list.
type listed struct {
	process.Conversation
	Turns int   `json:"turns"`
	Bytes int64 `json:"bytes"`
}

func (a *app) listProcesses(ctx context.Context, s *process.Store, projects []string, withProject bool) error {
	list := []listed{}
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
				list = append(list, listed{p, sizes[p.UUID].Turns, sizes[p.UUID].Bytes})
			}
		}
	}
	slices.SortStableFunc(list, func(x, y listed) int { return y.Start.Compare(x.Start) })
	if a.json {
		return errors.Join(bad, json.NewEncoder(a.out).Encode(list))
	}
	return errors.Join(bad, showProcesses(a.out, list, withProject))
}

func showProcesses(w io.Writer, list []listed, withProject bool) error {
	t := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	head := "UUID\tAGENT\tSTART\tTURNS\tTITLE"
	if withProject {
		head += "\tPROJECT"
	}
	fmt.Fprintln(t, head)
	for _, p := range list {
		row := fmt.Sprintf("%s\t%s\t%s\t%d\t%s", p.UUID, oneLine(cmp.Or(p.Agent, "-"), 20), minute(p.Start), p.Turns, oneLine(cmp.Or(p.Title, "-"), 60))
		if withProject {
			row += "\t" + oneLine(cmp.Or(p.Project, "(none)"), 200)
		}
		fmt.Fprintln(t, row)
	}
	return t.Flush()
}

func minute(t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return t.Local().Format("2006-01-02 15:04")
}

// showProcess prints a conversation: for a person, or as a line of JSON for the
// process and one for each turn.
func (a *app) showProcess(ctx context.Context, s *process.Store, uuid string) error {
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
		err = showHeader(out, p)
	}
	for turn, turnErr := range s.Turns(ctx, project, uuid, process.Position{}) {
		switch {
		case err != nil || turnErr != nil:
			return errors.Join(err, turnErr)
		case a.json:
			err = enc.Encode(turn.Turn)
		default:
			err = showTurn(out, turn)
		}
	}
	return errors.Join(err, out.Flush())
}

func showHeader(w io.Writer, p process.Conversation) error {
	for _, line := range [][2]string{
		{"conversation", p.UUID},
		{"title", p.Title},
		{"project", cmp.Or(p.Project, "(none)")},
		{"agent", strings.TrimSpace(p.Agent + " " + p.Model)},
		{"branch", p.Branch},
		{"started", minute(p.Start)},
		{"ended", minute(p.End)},
	} {
		if line[1] == "" || line[1] == "-" {
			continue
		}
		if _, err := fmt.Fprintf(w, "%-13s %s\n", line[0], oneLine(line[1], 400)); err != nil {
			return err
		}
	}
	return nil
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
	var b strings.Builder
	for line := range strings.SplitSeq(strings.TrimRight(text, "\n"), "\n") {
		if b.Len() > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(strings.TrimRight("    "+oneLine(strings.ReplaceAll(line, "\t", "    "), len(line)*4+1), " "))
	}
	return b.String()
}

func (a *app) removeProcesses(ctx context.Context, s *process.Store, uuids []string) error {
	removed := []string{}
	var err error
	for _, uuid := range uuids {
		var project string
		if project, err = s.Find(ctx, uuid); err == nil {
			err = s.Remove(ctx, project, uuid)
		}
		if err != nil {
			var m *memory.Error
			if errors.As(err, &m) {
				err = memory.Errorf(m.Kind, "remove "+oneLine(uuid, 60), "%s", m.Reason())
			}
			break
		}
		removed = append(removed, uuid)
		if !a.json {
			fmt.Fprintln(a.out, "removed", uuid)
		}
	}
	if a.json {
		return errors.Join(err, json.NewEncoder(a.out).Encode(map[string]any{"removed": removed}))
	}
	return err
}
