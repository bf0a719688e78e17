package writeback_test

import (
	"testing"
	"time"

	"github.com/rnixfs/rnixfs/kernel/process"
)

// TestLaterInTheConversationWins where the times do not tell: turns of one write have
// the same, and some have none.
func TestLaterInTheConversationWins(t *testing.T) {
	at := time.Date(2027, 1, 1, 11, 0, 0, 0, time.UTC)
	for name, r := range map[string]struct {
		time  time.Time
		jobs  [][]string // what is said before each end
		wants string
	}{
		"two turns":                 {at, [][]string{{"Remember that the port is 9000.", "Remember that the port is 9001."}}, "The port is 9001."},
		"without times":             {time.Time{}, [][]string{{"Remember that the port is 9000.", "Remember that the port is 9001."}}, "The port is 9001."},
		"one turn":                  {at, [][]string{{"Remember that the port is 9000. Remember that the port is 9001."}}, "The port is 9001."},
		"and back again":            {at, [][]string{{"Remember that the port is 9000.", "Remember that the port is 9001.", "Remember that the port is 9000."}}, "The port is 9000."},
		"by two jobs":               {at, [][]string{{"Remember that the port is 9000."}, {"Remember that the port is 9001."}}, "The port is 9001."},
		"the first counts for more": {at, [][]string{{"The port is 9000, please always remember that the port is 9000.", "Remember that the port is 9001."}}, "The port is 9001."},
	} {
		t.Run(name, func(t *testing.T) {
			e := newEnv(t)
			p, err := e.talks.Begin(t.Context(), process.Conversation{UID: uid, Project: project, Agent: "test", External: "s", Start: at})
			must(t, err)
			for _, said := range r.jobs {
				var turns []process.Turn
				for _, text := range said {
					turns = append(turns, process.Turn{Role: process.RoleUser, Content: text, Time: r.time})
				}
				_, err = e.talks.Append(t.Context(), p.Project, p.UUID, turns)
				must(t, err)
				e.end("s")
			}
			e.want(r.wants)
		})
	}
}

// TestALaterTimeWins over the order of the turns, which may have been told late.
func TestALaterTimeWins(t *testing.T) {
	e := newEnv(t)
	p, err := e.talks.Begin(t.Context(), process.Conversation{UID: uid, Project: project, Agent: "test", External: "s", Start: e.now})
	must(t, err)
	_, err = e.talks.Append(t.Context(), p.Project, p.UUID, []process.Turn{
		{Role: process.RoleUser, Content: "Remember that the port is 9001.", Time: e.now.Add(-time.Hour)},
		{Role: process.RoleUser, Content: "Remember that the port is 9000.", Time: e.now.Add(-2 * time.Hour)},
	})
	must(t, err)
	e.end("s")
	e.want("The port is 9001.")
}
