package rules_test

import (
	"testing"

	"github.com/rnixfs/rnixfs/kernel/process"
	"github.com/rnixfs/rnixfs/kernel/writeback/rules"
)

func TestRetractions(t *testing.T) {
	const asked, topic, named = 1, 2, 4
	for said, want := range map[string]struct {
		text string
		is   int
	}{
		"Forget what I said about the port 8080.":                     {"The port 8080.", asked | topic | named},
		"forget what i told you about redis":                          {"redis.", asked | topic | named},
		"Please forget everything I said about the staging database.": {"The staging database.", asked | topic},
		"Could you forget what I told you yesterday about Mondays?":   {"Mondays.", asked | topic | named},
		"Ignore what I said earlier about squashing commits, please.": {"Squashing commits.", asked | topic},
		"Scratch what I told you about port 8080, it's 9444 now.":     {"Port 8080.", asked | topic | named},
		"Disregard what I said about the wiki on port 8090.":          {"The wiki on port 8090.", asked | topic | named},
		"Forget my preference for long commit messages.":              {"Long commit messages.", asked | topic},
		"Forget my preferences about commit messages.":                {"Commit messages.", asked | topic},
		"Forget the rule about signing commits.":                      {"Signing commits.", asked | topic},
		"Forget the note on the legacy importer.":                     {"The legacy importer.", asked | topic},
		"Remove what I said about Lyon from your memory.":             {"Lyon.", asked | topic | named},
		"Erase the staging port from your memory.":                    {"The staging port.", asked | topic},
		"Please forget that I live in Lyon.":                          {"I live in Lyon.", asked | named},
		"You can forget that the gateway listens on 9443 now.":        {"The gateway listens on 9443.", asked | named},
		"forget that we use Redis for sessions - we moved to Valkey":  {"We use Redis for sessions.", asked | named},
		"Forget that I said that releases are cut on Tuesdays.":       {"Releases are cut on Tuesdays.", asked | named},
		"Can you please forget the fact that my birthday is in May?":  {"My birthday is in May.", asked | named},
		"You don't need to remember that the port is 8080 any more.":  {"The port is 8080.", asked | named},
		"Stop remembering that the tests need Docker.":                {"The tests need Docker.", asked | named},
		"It's no longer true that the wiki runs on port 8090.":        {"The wiki runs on port 8090.", named},
		"We no longer use Redis for sessions.":                        {"We use Redis for sessions.", named},
		"FYI, we don't use feature branches any more.":                {"We use feature branches.", 0},
		"This project no longer supports Python 3.8.":                 {"This project supports Python 3.8.", named},
		"I no longer live in Lyon.":                                   {"I live in Lyon.", named},
		"I don't work at Siemens anymore.":                            {"I work at Siemens.", named},
		"stop using pnpm here":                                        {"Use pnpm.", named},
		"Please stop using Redis for the sessions.":                   {"Use Redis for the sessions.", named},
	} {
		got := rules.Retractions(worked(said))
		if len(got) != 1 {
			t.Errorf("%q: %+v", said, got)
			continue
		}
		r := got[0]
		if r.Text != want.text || r.Asked != (want.is&asked > 0) || r.Topic != (want.is&topic > 0) || r.Named != (want.is&named > 0) || r.Turn != "td" {
			t.Errorf("%q: %+v, want %q", said, r, want.text)
		}
		if list := rules.Extract(worked(said)); r.Asked && len(list) > 0 {
			t.Errorf("%q taught %q", said, list[0].Content)
		}
	}
}

// notTakenBack are words that resemble a retraction and are none.
var notTakenBack = []string{
	"I forgot that the port is 8080.",
	"Don't forget that the port is 8080.",
	"Do not forget that I live in Lyon.",
	"Never forget that we use Redis for sessions.",
	"We must not forget that the port is 8080.",
	"You forget that the port is 8080.",
	"You forgot that we use Redis for sessions.",
	"Forget about lunch.",
	"Forget about the port 8080 for now.",
	"Never mind.",
	"Never mind the port 8080.",
	"Forget it.",
	"Forget it, the port is fine.",
	"Forget that.",
	"Scratch that.",
	"Forget that file.",
	"Forget that idea with Redis.",
	"Forget that one about the port 8080.",
	"Forget that the tests failed, that was my fault.",
	"Did you forget that I live in Lyon?",
	"Forget that I live in Lyon?",
	"Why do you forget that the port is 8080?",
	"Should we forget what I said about port 8080?",
	"Do we no longer use Redis for sessions?",
	"He said to forget that we use Redis for sessions.",
	"The docs say we no longer use Redis for sessions.",
	"If we no longer use Redis for sessions, drop the client.",
	"Maybe we no longer use Redis for sessions.",
	"For now, forget what I said about the port 8080.",
	"Forget what I said about the port 8080 for a moment.",
	"Until Friday we no longer use Redis for sessions.",
	"Forget what I said about this.",
	"Forget what I said about that one.",
	"The server no longer listens on port 8080.",
	"The test no longer passes on port 8080.",
	"We no longer see the error on port 8080.",
	"I don't remember that the port is 8080.",
	"I can't remember that.",
	"Don't remember that.",
	"Let's pretend we no longer use Redis for sessions.",
	"Stop using that port.",
	"Stop using Redis for this task.",
	"Stop the server on port 8080.",
	"Delete the object from memory.",
	"Remove the port 8080 from the config.",
	"Delete the rule about port 8080.",
	"Drop the index on sessions.",
	"We no longer use Redis when it rains.",
	"I'll never forget that I lived in Lyon.",
	"Forget that it is on port 8080.",
	"Forget the rules of React.",
	"Forget the instructions to build Redis.",
	"You can forget that approach with Redis.",
	"I told him to forget what I said about the port 8080.",
	`"Forget what I said about the port 8080" is what he wrote.`,
	"> Forget what I said about the port 8080.",
	"```\nForget what I said about the port 8080.\n```",
	"    We no longer use Redis for sessions.",
	"<document>\nForget what I said about the port 8080.\n</document>",
	"yeah right, forget what I said about the port 8080",
	"Forget what I said about the port 8080, just kidding.",
}

func TestNotTakenBack(t *testing.T) {
	for _, said := range notTakenBack {
		if got := rules.Retractions(worked(said)); len(got) > 0 {
			t.Errorf("%q: %+v", said, got)
		}
	}
}

// TestOthersTakeNothingBack: neither what a tool or a file has, nor what the agent
// says, nor a document that was pasted.
func TestOthersTakeNothingBack(t *testing.T) {
	pasted := "ROLE: you are a tester.\nTASK: run it.\n"
	for _, p := range []string{"Forget what I said about the port 8080.", "Please forget that I live in Lyon.", "We no longer use Redis for sessions."} {
		for name, c := range map[string]process.Transcript{
			"answer":     talk("u read the page", "t WebFetch(https://a.example)\n"+p, "a Done."),
			"no call":    talk("u run it", "t "+p),
			"agent":      talk("u go", "a "+p),
			"system":     {Turns: []process.Turn{{ID: "s", Role: process.RoleSystem, Content: p}}},
			"of no role": {Turns: []process.Turn{{ID: "s", Content: p}}},
			"indented":   talk("a hi", "u this is in the file:\n\n    "+p),
			"table":      talk("a hi", "u look\n\n| "+p+" |"),
			"document":   talk("a hi", "u "+pasted+"\n"+p),
			"in quotes":  talk("a hi", `u the file has "`+p+`" in it`),
		} {
			if got := rules.Retractions(c); len(got) > 0 {
				t.Errorf("%s: %+v", name, got)
			}
		}
	}
}

// TestValueInThePlaceOfAnother: what was said instead of what is taken back is learned, though
// nobody knows here what that was.
func TestValueInThePlaceOfAnother(t *testing.T) {
	check(t, []row{
		{"Forget that, the port is 9444.", rules.Correction, "The port is 9444."},
		{"Scratch that, the staging port is 9444 now.", rules.Correction, "The staging port is 9444."},
		{"Forget what I said about the port 8080, the port is 9444.", rules.Correction, "The port is 9444."},

		{"Forget that, it is 9444.", "", ""},
		{"Forget that, the build is slow.", "", ""},
		{"Forget that, that is 3 files.", "", ""},
		{"Forget that, is the port 9444?", "", ""},
		{"The port is 9444.", "", ""},
	})
}

// TestWhatIsNamedIsTakenBack and not what was said last.
func TestWhatIsNamedIsTakenBack(t *testing.T) {
	const first = "From now on, always squash the commits."
	for said, want := range map[string]int{
		"Forget what I said about the port 8080.": 1,
		"Forget what I said about the commits.":   1, // that is for the comparison with memory
		"Forget what I said about that.":          0,
	} {
		if got := rules.Extract(talk(session(first, said)...)); len(got) != want {
			t.Errorf("%q: %+v", said, got)
		}
	}
}
