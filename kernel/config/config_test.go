package config_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"go.uber.org/goleak"

	"github.com/rnixfs/rnixfs/kernel/config"
	"github.com/rnixfs/rnixfs/kernel/memory"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// put writes a file and the folders that it lies in.
func put(t *testing.T, path, text string) string {
	t.Helper()
	must(t, os.MkdirAll(filepath.Dir(path), 0o700))
	must(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

// load loads one file named by hand.
func load(t *testing.T, text string) (*config.Loaded, error) {
	t.Helper()
	return config.Load(context.Background(), config.Sources{Explicit: put(t, filepath.Join(t.TempDir(), "m.yaml"), text)})
}

func TestDefaultsAreThoseOfTheReferenceSystem(t *testing.T) {
	c := config.Default()
	if !c.Enabled || c.Store.MemoryCharLimit != 50000 || c.Store.UserCharLimit != 10000 || c.Store.OverflowPolicy != "error" ||
		!c.Writeback.Enabled || c.Writeback.Model != "" || c.Writeback.TriggerThreshold != 5 || !c.Writeback.RequireSuccess ||
		!c.Recall.Enabled || c.Recall.MaxResults != 20 || !c.UserProfile.Enabled || c.Inject.Order != "global_first" || c.Mount.AllowOther {
		t.Errorf("got %+v", c)
	}
}

func TestPartialFileKeepsTheRest(t *testing.T) {
	for _, doc := range []string{"", "# nothing\n", "store:\n", "store: {}\n", "store:\n  # memory_char_limit: 1\n"} {
		l, err := load(t, doc)
		must(t, err)
		if !l.Config.Equal(config.Default()) || len(l.Origin) != 0 {
			t.Errorf("%q: got %+v from %v, want the defaults", doc, l.Config, l.Origin)
		}
	}
	l, err := load(t, "store:\n  memory_char_limit: 7\n")
	must(t, err)
	want := config.Default()
	want.Store.MemoryCharLimit = 7
	if !l.Config.Equal(want) {
		t.Errorf("got %+v, want %+v", l.Config, want)
	}
}

func TestMoreSpecificFilesWinKeyByKey(t *testing.T) {
	dir := t.TempDir()
	from := config.Sources{UserDir: filepath.Join(dir, "user"), Project: filepath.Join(dir, "p"), WorkDir: filepath.Join(dir, "p", "sub")}
	user := put(t, filepath.Join(from.UserDir, "memory.yaml"), "store: {memory_char_limit: 1, user_char_limit: 1}\nrecall: {max_results: 1}\n")
	project := put(t, filepath.Join(from.Project, ".rnix", "memory.yaml"), "store: {memory_char_limit: 2, overflow_policy: fifo}\n")
	here := put(t, filepath.Join(from.WorkDir, "memory.yaml"), "# more\nstore:\n  memory_char_limit: 3\n")

	l, err := config.Load(context.Background(), from)
	must(t, err)
	want := &config.Loaded{
		Config: config.Default(), Sources: from, Files: []string{user, project, here},
		Origin: map[string]config.Place{
			"store.memory_char_limit": {File: here, Line: 3},
			"store.user_char_limit":   {File: user, Line: 1},
			"store.overflow_policy":   {File: project, Line: 1},
			"recall.max_results":      {File: user, Line: 2},
		},
	}
	want.Config.Store.MemoryCharLimit, want.Config.Store.UserCharLimit, want.Config.Recall.MaxResults = 1, 1, 1
	want.Own = want.Config
	want.Config.Store.MemoryCharLimit, want.Config.Store.OverflowPolicy = 3, "fifo"
	if diff := cmp.Diff(want, l, cmpopts.IgnoreUnexported(config.Loaded{})); diff != "" {
		t.Error(diff)
	}

	from.Explicit = put(t, filepath.Join(dir, "x.yaml"), "recall: {max_results: 9}\n")
	l, err = config.Load(context.Background(), from)
	must(t, err)
	if l.Config.Recall.MaxResults != 9 || l.Config.Store != config.Default().Store || len(l.Files) != 1 {
		t.Errorf("with a file named by hand, others count too: %+v", l)
	}
}

func TestAllProblemsAtOnce(t *testing.T) {
	dir := t.TempDir()
	from := config.Sources{UserDir: filepath.Join(dir, "u"), WorkDir: dir}
	user := put(t, filepath.Join(dir, "u", "memory.yaml"), "enabled: maybe\n")
	here := put(t, filepath.Join(dir, "memory.yaml"), `store:
  memory_char_limit: -5
  user_char_limt: 7
writeback: 5
recal: {}
inject: {order: project}
`)
	_, err := config.Load(context.Background(), from)
	if memory.KindOf(err) != memory.KindInvalid {
		t.Errorf("got kind %v, want invalid", memory.KindOf(err))
	}
	var e *config.Error
	if !errors.As(err, &e) {
		t.Fatalf("got %v, want a *config.Error", err)
	}
	want := []string{
		user + `:1:10: enabled: must be true or false`,
		here + `:2:22: store.memory_char_limit: must be > 0 (got -5)`,
		here + `:3:3: store.user_char_limt: unknown key; did you mean "user_char_limit"?`,
		here + `:4:12: writeback: must be a mapping, not a single value`,
		here + `:5:1: recal: unknown key; did you mean "recall"?`,
		here + `:6:17: inject.order: must be global_first or project_first (got "project")`,
	}
	if diff := cmp.Diff(want, strings.Split(e.Error(), "\n")); diff != "" {
		t.Error(diff)
	}
}

func TestEachWrongValue(t *testing.T) {
	for doc, want := range map[string]string{
		`enabled: "true"`:                                                          `1:10: enabled: must be true or false`,
		`enabled:`:                                                                 `1:9: enabled: has no value; leave the line out for the default`,
		`store: {memory_char_limit: "50000"}`:                                      `1:28: store.memory_char_limit: must be a whole number`,
		`store: {memory_char_limit: 5.5}`:                                          `1:28: store.memory_char_limit: must be a whole number`,
		`store: {memory_char_limit: 0}`:                                            `1:28: store.memory_char_limit: must be > 0 (got 0)`,
		`store: {memory_char_limit: 100000001}`:                                    `1:28: store.memory_char_limit: must be from 1 to 100000000 (got 100000001)`,
		`store: {memory_char_limit: [1]}`:                                          `1:28: store.memory_char_limit: must be a whole number, not a list`,
		`store: {memoryCharLimit: 1}`:                                              `1:9: store.memoryCharLimit: unknown key; did you mean "memory_char_limit"?`,
		`store: {overflow_policy: fiffo}`:                                          `1:26: store.overflow_policy: must be error, fifo or relevance (got "fiffo")`,
		`store: {overflow_policy: ""}`:                                             `1:26: store.overflow_policy: must be error, fifo or relevance (got "")`,
		`store: {overflow_policy: FIFO}`:                                           `1:26: store.overflow_policy: must be error, fifo or relevance (got "FIFO")`,
		`writeback: {trigger_threshold: -1}`:                                       `1:32: writeback.trigger_threshold: must be from 0 to 1000000 (got -1)`,
		`writeback: {model: [a]}`:                                                  `1:20: writeback.model: must be a text, not a list`,
		`writeback: {model: "a\nb"}`:                                               `1:20: writeback.model: must be printable, on one line`,
		"writeback: {model: " + strings.Repeat("m", 201) + "}":                     `1:20: writeback.model: must be at most 200 characters`,
		`llm: {base_url: "ftp://x"}`:                                               `1:17: llm.base_url: must be an address that begins with http:// or https://`,
		`llm: {base_url: "https://me:pw@x/v1"}`:                                    `1:17: llm.base_url: must have no password and no query; the key goes into the variable that api_key_env names`,
		`writeback: {max_entries: 101}`:                                            `1:26: writeback.max_entries: must be from 1 to 100 (got 101)`,
		`recall: {max_results: 18446744073709551616}`:                              `1:23: recall.max_results: must be a whole number`,
		`recall: {max_results: 1001}`:                                              `1:23: recall.max_results: must be from 1 to 1000 (got 1001)`,
		`scanner: {allow: [{rule: a, reason: b}, {rule: c}]}`:                      `1:41: scanner.allow[1]: has no reason`,
		`knowledge: [{man: [1], dir: /x}]`:                                         `1:13: knowledge[0]: has man and dir; it must have one of them, not both`,
		`knowledge: [{dir: /x}, {man: [0]}]`:                                       `1:30: knowledge[1].man: must be sections from 1 to 9`,
		`knowledge: [{glob: "*"}]`:                                                 `1:13: knowledge[0]: must have man (a list of sections) or dir`,
		`knowledge: [{dir: x}]`:                                                    `1:13: knowledge[0]: must name a folder that begins with / or ~/`,
		`knowledge: [{dir: /x, glob: "[a"}]`:                                       `1:29: knowledge[0].glob: must be a pattern of *, ?, [a-z] and at most four **`,
		`knowledge: [{man: [1], glob: "*"}]`:                                       `1:13: knowledge[0]: has path beside dir, or glob beside man`,
		`knowledge: [{man: [1]}, {man: [5]}]`:                                      `1:25: knowledge[1]: is the same folder as a row before`,
		`knowledge: [{dir: "/x\ny"}]`:                                              `1:13: knowledge[0]: must be printable, on one line`,
		`mount: {deadline: 5}`:                                                     `1:19: mount.deadline: must be a duration (90s, 5m, 2h)`,
		`mount: {deadline: 1ms}`:                                                   `1:19: mount.deadline: must be from 100ms to 10m (got 1ms)`,
		`rpc: {socket: a/b}`:                                                       `1:15: rpc.socket: must be an absolute path, or the name of a file, of at most 107 bytes`,
		`rpc: {socket: 5}`:                                                         `1:15: rpc.socket: must be an absolute path, or the name of a file, not a number, true or false`,
		`rpc: {socket: true}`:                                                      `1:15: rpc.socket: must be an absolute path, or the name of a file, not a number, true or false`,
		`log: {level: warning}`:                                                    `1:14: log.level: must be debug, info, warn or error (got "warning")`,
		`categories: {Note: {pinned: true}}`:                                       `1:20: categories.Note: must be a name of small letters, digits, '_' and '-', at most 40, with no word of more than 20 characters`,
		`categories: {note: {on_key: merge}}`:                                      `1:29: categories.note.on_key: must be refuse, replace or append (got "merge")`,
		`categories: {note: {then: keep}}`:                                         `1:27: categories.note.then: must be remove or archive (got "keep")`,
		`categories: {note: {text: prose}}`:                                        `1:27: categories.note.text: must be any, line or page (got "prose")`,
		`categories: {note: {ttl: 0d}}`:                                            `1:26: categories.note.ttl: must be never, or a lifetime such as 90m, 12h or 14d`,
		`categories: {note: {importance: 2}}`:                                      `1:33: categories.note.importance: must be from 0 to 1 (got 2)`,
		`categories: {note: {require: [a b]}}`:                                     `1:30: categories.note.require: must be at most 32 names of metadata, of letters, digits, '_' and '-'`,
		`categories: {note: {scope: notes}}`:                                       `1:28: categories.note.scope: is no scope; a row of scopes adds one`,
		`categories: {note: {on_key: append, text: line}}`:                         `1:20: categories.note: can't be on_key: append with text: line, since what is appended is more lines`,
		`scopes: {project: {chars: 9}}`:                                            `1:19: scopes.project: is a word of recall and context; it can only be {as: memory}`,
		`scopes: {project: {as: memory}, global: {as: memory}}`:                    `1:41: scopes.global: is a word of recall and context; it can only be {as: global_memory}`,
		`scopes: {conversation: {as: memory}}`:                                     `1:24: scopes.conversation: is a word of recall and context`,
		`scopes: {all: {owner: user}}`:                                             `1:15: scopes.all: is a word of recall and context`,
		`scopes: {a: {as: b}}`:                                                     `1:18: scopes.a.as: is no scope; a row of scopes adds one`,
		`scopes: {a: {as: memory}, b: {as: a}}`:                                    `1:35: scopes.b.as: is no scope; a row of scopes adds one`,
		`scopes: {a: {as: memory, chars: 3}}`:                                      `1:18: scopes.a.as: is for a name that is not built in, in a row without other cells`,
		`scopes: {agent: {as: memory}}`:                                            `1:22: scopes.agent.as: is for a name that is not built in, in a row without other cells`,
		`categories: {note: {scope: user}}`:                                        `1:28: categories.note.scope: can't be the profile, which has a device of its own`,
		`categories: {note: {pin: true}}`:                                          `1:21: categories.note.pin: unknown key; known are importance, on_key, pinned, require, scope, text, then, ttl, type`,
		`tools: {t: {request: {action: get}}}`:                                     `1:12: tools.t: must have a device: commit, profile, recall, context, session, agent, events, knowledge, process, or a scope that a row adds`,
		`tools: {t: {device: comit, request: {action: get}}}`:                      `1:21: tools.t.device: must have a device: commit, profile, recall, context, session, agent, events, knowledge, process, or a scope that a row adds`,
		`tools: {t t: {device: commit}}`:                                           `1:14: tools.t t: must be a name of letters, digits, '_' and '-', at most 64, with no word of more than 20 characters`,
		`tools: {t: {device: commit}}`:                                             `1:12: tools.t: must have a request, a mapping with $name for what it takes`,
		`tools: {t: {device: commit, request: add}}`:                               `1:38: tools.t.request: must be a mapping, with $name for what it takes`,
		`tools: {t: {device: commit, request: {action: add, content: "a $text"}}}`: `1:61: tools.t.request.content: has a $name that is no argument of args, nor, in a reply, a field of one`,
		`tools: {t: {device: commit, request: {ops: [{content: $x}]}}}`:            `1:55: tools.t.request.ops[0].content: has a $name that is no argument of args, nor, in a reply, a field of one`,
		`tools: {t: {device: commit, request: {$key: a}}}`:                         `1:45: tools.t.request.$key: no key has a $name; there are $each and $if`,
		`tools: {t: {device: commit, request: {action: {$if: a, b: c}}}}`:          `1:59: tools.t.request.action.b: has no place beside $if, but then and else`,
		`tools: {t: {device: commit, request: {action: get}, reply: {a: $okay}}}`:  `1:64: tools.t.reply.a: has a $name that is no argument of args, nor, in a reply, a field of one`,
		`tools: {t: {device: commit, request: {action: get}, reply: {a: {$each: $list, b: $any}}}}`:    `1:72: tools.t.reply.a.$each: has a $name that is no argument of args, nor, in a reply, a field of one`,
		`tools: {t: {device: commit, args: {A: {}}, request: {action: get}}}`:                          `1:39: tools.t.args.A: must be a name of small letters, digits and '_', at most 40`,
		`tools: {t: {device: commit, args: {a: {type: int}}, request: {action: get}}}`:                 `1:46: tools.t.args.a.type: must be boolean, integer, number, object, string or strings`,
		`tools: {t: {device: commit, args: {a: {default: 5}}, request: {action: get}}}`:                `1:49: tools.t.args.a.default: must be a text`,
		`tools: {t: {device: commit, args: {a: {one_of: [b], default: c}}, request: {action: get}}}`:   `1:62: tools.t.args.a.default: must be one of b`,
		`tools: {t: {device: commit, args: {a: {type: number, one_of: [b]}}, request: {action: get}}}`: `1:62: tools.t.args.a.one_of: is for an argument that is a text`,
		`tools: {t: {device: commit, args: {a: {req: true}}, request: {action: get}}}`:                 `1:40: tools.t.args.a.req: unknown key; known are as, default, description, one_of, required, type`,
		`preset: [rnix, mine]`:                       `1:16: preset[1]: must be a3s, aios, cao, infraware or rnix (got "mine")`,
		`preset: mine`:                               `1:9: preset: must be a3s, aios, cao, infraware or rnix (got "mine")`,
		`preset: [rnix, infraware]`:                  `1:16: preset[1]: contradicts another preset; say in this file what holds of store.overflow_policy (fifo, and error in rnix)`,
		`mcp: {tools: cao}`:                          `1:14: mcp.tools: needs the preset itself, whose scopes its tools ask for: preset: [cao]`,
		"preset: [a3s]\nmcp: {tools: memory_recall}": `2:14: mcp.tools: must be a3s, aios, cao, infraware or rnix (got "memory_recall")`,
		`memory_char_limit: 5`:                       `1:1: memory_char_limit: unknown key; known are categories, context, enabled, inject, knowledge, llm, log, mcp, mount, preset, recall, rpc, scanner, scopes, score, store, tools, user_profile, writeback`,
		"enabled: true\nenabled: true":               `2:1: enabled: given twice, first in line 1`,
		"enabled: &a true":                           `1:10: enabled: anchors are not supported`,
		"- enabled":                                  `1:1: must be a mapping, not a list`,
		"a: [":                                       `1: did not find expected node content`,
	} {
		_, err := load(t, doc)
		var e *config.Error
		if !errors.As(err, &e) {
			t.Errorf("%q: got %v, want a *config.Error", doc, err)
			continue
		}
		if got := strings.TrimPrefix(e.Error(), e.Problems[0].File+":"); got != want {
			t.Errorf("%q:\n got %s\nwant %s", doc, got, want)
		}
	}
}

// TestModelsArePersonal: a repository of somebody else can't say where conversations
// are sent.
func TestModelsArePersonal(t *testing.T) {
	dir := t.TempDir()
	from := config.Sources{UserDir: filepath.Join(dir, "user"), Project: filepath.Join(dir, "p"), WorkDir: filepath.Join(dir, "p")}
	put(t, filepath.Join(from.UserDir, "memory.yaml"), "llm: {base_url: https://mine/v1, api_key_env: KEY}\n")
	project := put(t, filepath.Join(from.Project, ".rnix", "memory.yaml"), config.Reference())
	l, err := config.Load(context.Background(), from)
	must(t, err)
	if l.Config.LLM.BaseURL != "https://mine/v1" || l.Config.LLM.APIKeyEnv != "KEY" || l.Origin["llm.base_url"].File == project {
		t.Errorf("%+v from %v", l.Config.LLM, l.Origin)
	}
	for _, doc := range []string{"llm: {base_url: https://theirs/v1}", "llm: {api_key_env: HOME}", "llm: {max_tokens_per_day: 1000000}"} {
		put(t, project, doc)
		if _, err := config.Load(context.Background(), from); err == nil || !strings.Contains(err.Error(), "counts only in your own memory.yaml") {
			t.Errorf("%s: %v", doc, err)
		}
	}
}

func TestExplainLoadsToTheSame(t *testing.T) {
	l, err := load(t, "enabled: false\nstore: {overflow_policy: fifo, user_char_limit: 3}\nwriteback: {model: 'a \"b\" # c'}\nmount: {deadline: 90s}\nlog: {level: warn}\n")
	must(t, err)
	text := l.Explain()
	again, err := load(t, text)
	must(t, err)
	if !again.Config.Equal(l.Config) {
		t.Errorf("got %+v, want %+v", again.Config, l.Config)
	}
	for _, want := range []string{"# default\n", "user_char_limit: 3                     # " + l.Files[0] + ":2\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
}

func TestDifferences(t *testing.T) {
	a := config.Default()
	b := a
	b.Mount.AllowOther, b.Recall.MaxResults = true, 3
	want := []config.Difference{
		{Key: "recall.max_results", Old: "20", New: "3"},
		{Key: "mount.allow_other", Old: "false", New: "true", Restart: true},
	}
	if diff := cmp.Diff(want, config.Differences(a, b)); diff != "" {
		t.Error(diff)
	}
	if d := config.Differences(a, a); d != nil {
		t.Errorf("got %v between equals", d)
	}
}
