package rules_test

import (
	"reflect"
	"testing"

	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/writeback/rules"
)

// session is a talk about work in which the user says one thing a turn.
func session(said ...string) []string {
	lines := []string{"u go", "a Done."}
	for _, s := range said {
		lines = append(lines, "t Read(a)\nb", "u "+s, "a ok")
	}
	return lines
}

func TestTakenBack(t *testing.T) {
	const first = "From now on, always squash the commits."
	stays := []string{"Always squash the commits."}
	for said, want := range map[string][]string{
		"Scratch that, never squash the commits.":                {"Never squash the commits."},
		"No, scratch that: always rebase onto main.":             {"Always rebase onto main."},
		"Forget that - always use the merge button.":             {"Always use the merge button."},
		"Forget that, never mind.":                               nil,
		"Never mind, forget that.":                               nil,
		"Forget that, please.":                                   nil,
		"Oh, scratch that.":                                      nil,
		"Actually forget that.":                                  nil,
		"no wait, ignore what I just said":                       nil,
		"Hmm, on second thought, forget it.":                     nil,
		"ok never mind":                                          nil,
		"Please disregard my last message, sorry.":               nil,
		"You know what? Forget about that.":                      nil,
		"Could you forget that?":                                 nil,
		"Forget what I said about the commits.":                  nil,
		"Oops, scratch that, I meant: never squash the commits.": {"Never squash the commits."},
		"Never mind about the squashing.":                        nil,
		"Scratch the part about commits.":                        nil,
		"Scratch the part about the tests.":                      stays,
		"Forget it, it's fine.":                                  stays,
		"Ignore this: it's only a log.":                          stays,
		"Undo that - the build fails now.":                       stays,
		"Cancel that, and run the tests.":                        stays,
		"I take that back, sorry.":                               nil,
		"Scratch that last one.":                                 nil,
		"Never mind the failing test in the parser.":             stays,
		"Ignore that file.":                                      stays,
		"Forget that the tests failed, that was my fault.":       stays,
		"Never mind, I found it.":                                stays,
		"Did I say scratch that?":                                stays,
		"Undo that commit.":                                      stays,
		"He said to forget that.":                                stays,
	} {
		if got := contents(talk(session(first, said)...), rules.Options{}); !reflect.DeepEqual(got, want) {
			t.Errorf("%q: got %q, want %q", said, got, want)
		}
	}
}

func TestLaterValue(t *testing.T) {
	gateway := "Remember that the gateway listens on 9443."
	now := []string{"The gateway listens on 9444."}
	for _, r := range []struct {
		said []string
		want []string
	}{
		{[]string{gateway, "Actually, remember that the gateway listens on 9444."}, now},
		{[]string{gateway, "Remember that the gateway listens on 9444."}, now},
		{[]string{gateway, "Correction: the gateway listens on 9444."}, now},
		{[]string{gateway, "Sorry, remember that it's 9444."}, now},
		{[]string{gateway, "Sorry, it's 9444, not 9443."}, now},
		{[]string{gateway, "No, I meant 9444."}, now},
		{[]string{gateway, "What else is there?", "Wait, the gateway listens on 9444."}, now},
		{[]string{gateway, "The gateway now listens on 9444."}, now},
		{[]string{gateway, "Remember that the proxy listens on 9444."}, []string{"The gateway listens on 9443.", "The proxy listens on 9444."}},
		{[]string{gateway, "Does the gateway listen on 9444?"}, []string{"The gateway listens on 9443."}},
		{[]string{gateway, "Sorry, it's late."}, []string{"The gateway listens on 9443."}},
		{[]string{gateway, "Maybe the gateway listens on 9444."}, []string{"The gateway listens on 9443."}},
		{[]string{gateway, "Sorry, it's 5 minutes late."}, []string{"The gateway listens on 9443."}},
		{[]string{"Remember that the staging cluster is in Dublin.", "Correction: the staging cluster is in Cork."}, []string{"The staging cluster is in Cork."}},
		{[]string{"Remember that the build is slow on Windows.", "Remember that the build is cached on Linux."}, []string{"The build is slow on Windows.", "The build is cached on Linux."}},

		{[]string{"I live in Gent.", "I now live in Hamburg."}, []string{"The user lives in Hamburg."}},
		{[]string{"I live in Gent.", "I live in Brussels now."}, []string{"The user lives in Brussels."}},
		{[]string{"I live in Gent.", "Actually I'm living in Brussels now."}, []string{"The user lives in Brussels."}},
		{[]string{"I live in Gent.", "I moved to Antwerp."}, []string{"The user moved to Antwerp."}},
		{[]string{"I live in Gent.", "I just moved to Antwerp."}, []string{"The user just moved to Antwerp."}},
		{[]string{"I moved to Antwerp.", "I live in Ostend."}, []string{"The user lives in Ostend."}},
		{[]string{"I live in Gent.", "I've just relocated to Berlin, Germany."}, []string{"The user has just relocated to Berlin, Germany."}},
		{[]string{"I live in Gent.", "I moved to Emacs."}, []string{"The user lives in Gent.", "The user moved to Emacs."}},
		{[]string{"I live in Gent.", "I moved to Belgium when I was six."}, []string{"The user lives in Gent.", "The user moved to Belgium when they were six."}},
	} {
		if got := contents(talk(session(r.said...)...), rules.Options{}); !reflect.DeepEqual(got, r.want) {
			t.Errorf("%q: got %q, want %q", r.said, got, r.want)
		}
	}
}

func TestForNow(t *testing.T) {
	check(t, []row{
		{"For now, always skip the slow tests.", "", ""},
		{"For now, never touch the database.", "", ""},
		{"For today, always use the staging key.", "", ""},
		{"For this task, always use tabs.", "", ""},
		{"Always skip the slow tests for now.", "", ""},
		{"Always skip the slow tests, just this once.", "", ""},
		{"Never deploy to staging until Friday.", "", ""},
		{"Always use the short names in this PR.", "", ""},
		{"This time, never touch the lock file.", "", ""},
		{"Never touch the lock file this time.", "", ""},
		{"Always print the elapsed time in this script's output.", "", ""},
		{"Always skip the slow tests. Just for now.", "", ""},
		{"Never commit for the time being.", "", ""},
		{"While we debug this, always print the headers.", "", ""},
		{"Always use the mock server for the rest of this session.", "", ""},
		{"Until the release, never merge to main.", "", ""},

		{"From now on, always skip the slow tests.", rules.Instruction, "Always skip the slow tests."},
		{"In this repo, always use tabs.", rules.Instruction, "In this repo, always use tabs."},
		{"Always put today's date into the changelog.", rules.Instruction, "Always put today's date into the changelog."},
		{"Never push to main until the tests pass.", rules.Instruction, "Never push to main until the tests pass."},
		{"Always run the linter every time, not just this time.", rules.Instruction, "Always run the linter every time, not just this time."},
		{"Always run this script before a release.", rules.Instruction, "Always run this script before a release."},
	})
}

func TestGlobal(t *testing.T) {
	for _, r := range []struct {
		said   string
		target memory.Scope
		want   string // "" when nothing is worth it
	}{
		{"Record this as a global rule: never push on a Friday.", memory.ScopeGlobal, "Never push on a Friday."},
		{"Save this as a global preference: commit messages are in English.", memory.ScopeGlobal, "Commit messages are in English."},
		{"In all my projects, commit messages are written in Dutch.", memory.ScopeGlobal, "Commit messages are written in Dutch."},
		{"Please remember in all my projects that commit messages are written in Dutch.", memory.ScopeGlobal, "Commit messages are written in Dutch."},
		{"Remember for all my projects: never push on a Friday.", memory.ScopeGlobal, "Never push on a Friday."},
		{"Remember that in all my projects commits are signed.", memory.ScopeGlobal, "Commits are signed."},
		{"Remember for all projects that my timezone is CET.", memory.ScopeUser, "The user's timezone is CET."},
		{"In all my projects I use tabs.", memory.ScopeGlobal, "The user uses tabs."},
		{"This globally: the VPN must be on for deploys.", memory.ScopeGlobal, "The VPN must be on for deploys."},
		{"Remember this globally: the VPN must be on for deploys.", memory.ScopeGlobal, "The VPN must be on for deploys."},
		{"Across all my repositories, always run gofmt.", memory.ScopeGlobal, "Always run gofmt."},
		{"Global rule: always sign the commits.", memory.ScopeGlobal, "Always sign the commits."},
		{"For every project of mine: don't use panic in library code.", memory.ScopeGlobal, "Don't use panic in library code."},
		{"Remember globally that releases are cut on Thursdays.", memory.ScopeGlobal, "Releases are cut on Thursdays."},
		{"Make this a global rule: never commit secrets.", memory.ScopeGlobal, "Never commit secrets."},
		{"Apply this everywhere: use conventional commits.", memory.ScopeGlobal, "Use conventional commits."},
		{"I use tabs in all my projects.", memory.ScopeGlobal, "The user uses tabs."},

		{"In all my projects, do I use tabs?", "", ""},
		{"In all my projects I have seen this bug.", "", ""},
		{"In all my projects the tests are slow.", "", ""},
		{"The global variable is set in init.", "", ""},
		{"This global thing: what is it?", "", ""},
		{"Record this as a global rule?", "", ""},
		{"Record this as a global rule: not just for this one.", "", ""},
	} {
		got := rules.Extract(worked(r.said), rules.Options{})
		switch {
		case r.want == "" && len(got) > 0:
			t.Errorf("%q: got %q, want nothing", r.said, got[0].Content)
		case r.want != "" && (len(got) != 1 || got[0].Content != r.want || got[0].Target != r.target):
			t.Errorf("%q: got %v, want %s %q", r.said, got, r.target, r.want)
		}
	}
	got := rules.Extract(worked("Always sign your commits. Record this as a global rule: never push on a Friday."), rules.Options{})
	if len(got) != 2 || got[0].Target != memory.ScopeProject || got[1].Target != memory.ScopeGlobal {
		t.Errorf("a global rule beside another: %v", got)
	}
}

func TestAcceptedProposals(t *testing.T) {
	const redis = "Decided to store the sessions in Redis instead of Postgres, because they expire."
	for _, r := range []struct{ proposal, answer, want string }{
		{"I propose that we store the sessions in Redis instead of Postgres, because they expire. Shall I do that?", "Yes, let's do that.", redis},
		{"I suggest we store the sessions in Redis instead of Postgres, because they expire. OK?", "Yes.", redis},
		{"I suggest storing the sessions in Redis instead of Postgres, because they expire. Sound good?", "Sounds good.", redis},
		{"I'd recommend to store the sessions in Redis instead of Postgres, because they expire.", "Go ahead.", redis},
		{"How about we store the sessions in Redis instead of Postgres, because they expire?", "ok, do it", redis},
		{"What if we stored the sessions in Redis instead of Postgres, because they expire?", "Yes please", redis},
		{"Let's store the sessions in Redis instead of Postgres, because they expire. Should I go ahead?", "yes", redis},
		{"My proposal: store the sessions in Redis instead of Postgres, because they expire.", "Agreed, but keep the old one for now", redis},
		{"We could store the sessions in Redis instead of Postgres, because they expire. Does that work for you?", "Works for me!", redis},
		{"I think we should store the sessions in Redis instead of Postgres. Because they expire. Okay?", "ok", redis},
		{"I read the code. There are 3 places.\n\nI'd store the sessions in Redis instead of Postgres, because they expire. What do you think?", "Makes sense.", redis},
		{"I'd use SQLite because it needs no server. OK?", "Yes", "Decided to use SQLite because it needs no server."},
		{"I would go with Redis because sessions expire. Sound good?", "Sure, go for it.", "Decided to go with Redis because sessions expire."},
		{"I recommend Redis over Memcached because it persists. Should I proceed?", "Yes, please do.", "Decided to use Redis over Memcached because it persists."},
		{"How about using SQLite, since it needs no server?", "good idea", "Decided to use SQLite, since it needs no server."},
		{"For the cache, I'd use Redis, because it expires keys. OK with you?", "Yep.", "For the cache, decided to use Redis, because it expires keys."},
		{"I suggest that we use gRPC for the workers. It's faster. Shall I?", "Yes.", "Decided to use gRPC for the workers. It's faster."},
		{"Why don't we keep the config in TOML, so that comments survive?", "Yes, let's. Then add the tests.", "Decided to keep the config in TOML, so that comments survive."},
		{"How about I keep the dates in UTC, because clients differ? What do you say?", "Yes, great.", "Decided to keep the dates in UTC, because clients differ."},
		{"My recommendation: Postgres, because we need transactions. OK?", "Great, thanks, go ahead", "Decided to use Postgres, because we need transactions."},
		{"I'd suggest we use pnpm for the workspace. It saves disk space. Shall I set it up?", "Yes please", "Decided to use pnpm for the workspace. It saves disk space."},
		{"Should I switch the tests to Vitest, because Jest is slow?", "Yes", "Decided to switch the tests to Vitest, because Jest is slow."},
		{"I'd use Redis here. Shall I install it now?", "Yes", ""},
		{"Should we use ULIDs rather than UUIDs, because they sort by time?", "Yes, ULIDs.", "Decided to use ULIDs rather than UUIDs, because they sort by time."},

		{"Shall I run the tests now?", "Yes", ""},
		{"Shall I move the file to docs/?", "Yes", ""},
		{"What do you prefer, tabs or spaces? I'd use tabs. Which one?", "Yes", ""},
		{"I suggest we run the tests first. OK?", "Yes", ""},
		{"I'd fix the parser next. OK?", "Go ahead.", ""},
		{"I suggest we use Redis for the sessions. Shall I?", "No, Postgres.", ""},
		{"I suggest we use Redis for the sessions. Shall I?", "Yes, but with Postgres.", ""},
		{"I suggest we use Redis for the sessions. Shall I?", "Yes, use Memcached", ""},
		{"I suggest we use Redis for the sessions. Shall I?", "Yes? Why?", ""},
		{"I suggest we use Redis for the sessions. Shall I?", "Yes. But use Postgres for now.", ""},
		{"I suggest we use Redis for the sessions. Shall I?", "I'll think about it.", ""},
		{"We could use Redis for the sessions. Or we could use Postgres. OK?", "Yes", ""},
		{"We could use Redis or Postgres for the sessions. Which one?", "Yes", ""},
		{"I suggest we use Redis for the sessions. Shall I run the tests now?", "Yes", ""},
		{"The sessions are in Redis. Is that right?", "Yes", ""},
		{"Let's use Redis for now. OK?", "Yes", ""},
		{"Shall I use the second one?", "yes", ""},
	} {
		got := contents(talk("u go", "a Looking.", "t Read(a)\nb", "a "+r.proposal, "u "+r.answer, "a Done."), rules.Options{})
		if want := r.want; want == "" && len(got) > 0 || want != "" && (len(got) != 1 || got[0] != want) {
			t.Errorf("%q, %q: got %q, want %q", r.proposal, r.answer, got, want)
		}
	}
}

func TestUserDecides(t *testing.T) {
	check(t, []row{
		{"Let's use SQLite. It's simpler.", rules.Decision, "Let's use SQLite. It's simpler."},
		{"I decided to keep the monolith because one process is easier to run.", rules.Decision, "The user decided to keep the monolith because one process is easier to run."},
		{"We'll use Redis instead of Memcached since it persists.", rules.Decision, "We'll use Redis instead of Memcached since it persists."},
		{"We decided on Postgres.", rules.Decision, "We decided on Postgres."},
		{"We decided on a flat layout because it's easier to grep.", rules.Decision, "We decided on a flat layout because it's easier to grep."},
		{"We're going with Kafka because the load is spiky.", rules.Decision, "We're going with Kafka because the load is spiky."},
		{"Decision: we keep the monolith.", rules.Decision, "We keep the monolith."},
		{"We chose Kafka over RabbitMQ because of replay.", rules.Decision, "We chose Kafka over RabbitMQ because of replay."},

		{"I decided to go home.", "", ""},
		{"Let's use it.", "", ""},
		{"Let's go with that. It's simpler.", "", ""},
		{"I decided to rerun the tests because they failed.", "", ""},
		{"Let's use the second one because it's shorter.", "", ""},
		{"Have we decided on Postgres?", "", ""},
		{"They decided on Postgres, he said.", "", ""},
	})
}

func TestReadsWell(t *testing.T) {
	check(t, []row{
		{"Why did you put the test in ingest/, tests go in tests/unit, not next to the code.", rules.Correction, "Tests go in tests/unit, not next to the code."},
		{"Why did you put the test in ingest/, tests go in tests/unit", rules.Correction, "Tests go in tests/unit."},
		{"Why did you put the test in ingest/? Tests go in tests/unit.", rules.Convention, "Tests go in tests/unit."},
		{"why are you using npm, we use pnpm here", rules.Correction, "We use pnpm here."},
		{"You put the helper in utils again, helpers live in internal/.", rules.Correction, "Helpers live in internal/."},
		{"Why did you add a mock, we don't mock the database", rules.Correction, "We don't mock the database."},
		{"Why did you delete the test, it was fine.", "", ""},

		{"The tests are flaky.", "", ""},
		{"The integration tests are really slow on CI.", "", ""},
		{"Our build is a bit brittle lately.", "", ""},
		{"The docs are outdated and confusing.", "", ""},
		{"The commits are signed with SSH keys.", rules.Convention, "The commits are signed with SSH keys."},

		{"Merk dir, dass der Server auf Port 9000 läuft.", rules.Request, "Der Server läuft auf Port 9000."},
		{"Merk dir bitte, dass wir immer Tabs benutzen.", rules.Request, "Wir benutzen immer Tabs."},
		{"Denk daran, dass der Build mit `make all` gestartet wird.", rules.Request, "Der Build wird mit `make all` gestartet."},
		{"Vergiss nicht, dass das Passwort nie im Log stehen darf.", rules.Request, "Das Passwort darf nie im Log stehen."},
		{"Merk dir, dass die alte Datenbank nur gelesen wird, weil sie bald weg ist.", rules.Request, "Die alte Datenbank wird nur gelesen, weil sie bald weg ist."},
		{"Merk dir, dass ich in Gent wohne.", rules.Request, "Der Nutzer wohnt in Gent."},
		{"Merk dir, dass im Staging immer der Debugger an ist.", rules.Request, "Im Staging ist immer der Debugger an."},
		{"Merk dir: der Server läuft auf Port 9000.", rules.Request, "Der Server läuft auf Port 9000."},

		{"Ich heiße Ruben und wohne in Gent.", rules.Fact, "Der Nutzer heißt Ruben und wohnt in Gent."},
		{"Ich heiße Ruben und ich arbeite bei Siemens.", rules.Fact, "Der Nutzer heißt Ruben und arbeitet bei Siemens."},
		{"Me llamo Ana y vivo en Madrid.", rules.Fact, "El usuario se llama Ana y vive en Madrid."},
		{"Je m'appelle Luc et j'habite à Lyon.", rules.Fact, "L'utilisateur s'appelle Luc et habite à Lyon."},
		{"Ich bevorzuge Tabs und mag kurze Funktionen.", rules.Preference, "Der Nutzer bevorzugt Tabs und mag kurze Funktionen."},
	})
}

func TestToldAgain(t *testing.T) {
	check(t, []row{
		{"I told you not to use print", rules.Correction, "Do not use print."},
		{"I told you to use the logger", rules.Correction, "Use the logger."},
		{"I already told you never to push to main.", rules.Correction, "Never push to main."},
		{"I asked you not to touch the vendored code.", rules.Correction, "Do not touch the vendored code."},
		{"Don't use print statements, use the logger", rules.Correction, "Don't use print statements, use the logger."},
		{"Don't call print, use the logger instead.", rules.Correction, "Don't call print, use the logger instead."},
		{"Actually, the port is 9082, not 9081", rules.Correction, "The port is 9082, not 9081."},
		{"actually the queue is called jobs, not tasks", rules.Correction, "The queue is called jobs, not tasks."},
		{"never rely on red/green in charts, I'm colour blind", rules.Instruction, "Never rely on red/green in charts, the user is colour blind."},
		{"Never rely on colour alone, I'm colour blind.", rules.Instruction, "Never rely on colour alone, the user is colour blind."},

		{"I told you not to worry.", "", ""},
		{"Don't worry, use whatever you like.", "", ""},
		{"Don't touch it, use that.", "", ""},
		{"Actually, it is not that bad, not at all.", "", ""},
	})
}
