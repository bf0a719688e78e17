package config

import (
	"time"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

var action = oneOf(ScanReject, ScanRedact, ScanWarn, ScanOff)

// settings are all keys, in the order of the reference; the keys of a section
// stand together.
var settings = []setting{
	{"enabled", "true", nil, projects,
		"Whether memory can be written: the commit and profile devices. Reading and\nsearching do not depend on it."},

	{"preset", "[]", presetRows, personal,
		"Ways to remember that other systems have, as rows under those of this file:\n" + presetNames() + ". \"rnixfs config print --preset NAME\" shows\none. Two that contradict each other need a word of this file."},

	{"store.memory_char_limit", "50000", within(1, 100_000_000), projects,
		"Most characters (Unicode code points) of one project's memory. The global\nmemory has the same limit, of its own."},
	{"store.user_char_limit", "10000", within(1, 100_000_000), personal,
		"Most characters of the user's profile."},
	{"store.overflow_policy", "error", oneOf(memory.OverflowError, memory.OverflowFIFO, memory.OverflowRelevance), projects,
		"What happens to a text that does not fit:\n  error      it is refused, and the agent is told to make room\n  fifo       the oldest entries make room\n  relevance  the least important and least recent ones make room\nPinned entries never make room."},

	{"scopes", "{}", rows, projects,
		"Whose memory there is, a row each: {owner, keep, chars, entries, overflow, ttl,\nthen, text, recall}, or {as: SCOPE} for another name of one. memory, global_memory, user, session and agent are there; a row with\none of these names changes what it says, any other name adds a scope:\n  scopes:\n    notes: {owner: project, chars: 2000, entries: 20, overflow: fifo, ttl: 14d}\nA project's file has limits of the project's own scopes only. See\ndocs/configuration.md."},

	{"categories", "{}", categoryRows, personal,
		"What holds for a new entry of a category where its request does not say, a row\neach: {scope, pinned, ttl, then, on_key, require, type, importance, text}:\n  categories:\n    decision: {ttl: 30d, then: archive, require: [reasoning]}\n    restriction: {pinned: true} # is built in\nSee docs/configuration.md."},

	{"tools", "{}", toolRows, personal,
		"Requests under the names that agents of another system know, a row each: {device,\ndescription, args, request, reply, failed}. \"rnixfs tool\" lists and runs them:\n  tools:\n    save_rule:\n      {device: commit, args: {rule: {required: true}}, request: {action: add, category:\n      restriction, content: \"$rule\"}, reply: {saved: \"$ok\", message: \"Kept: $rule\"}}\nSee docs/configuration.md."},

	{"score.importance", "0.7", between(0., 1), personal,
		"What an entry is worth, for overflow_policy: relevance and for the search: its\nimportance by this weight, and how new it is by the next."},
	{"score.recency", "0.3", between(0., 1), personal,
		"The weight of how new it is."},
	{"score.decay_days", "30", between(0.01, 36500), personal,
		"After so many days without a change, being new is worth a third."},

	{"scanner.secret", "reject", action, personal,
		"What is done with a text in which something was found, by category: reject it,\nredact it (store it masked), warn (store it, and say so in the reply), or off.\nThe scanner's keys count in your own memory.yaml and in the file of --config\nonly. See docs/scanner.md.\nTokens, keys, recovery phrases."},
	{"scanner.credential", "reject", action, personal,
		"Passwords, credentials in URLs, headers and connection strings."},
	{"scanner.prompt_injection", "reject", action, personal,
		"Orders to whoever reads the memory."},
	{"scanner.exfiltration", "reject", action, personal,
		"What sends secrets away."},
	{"scanner.dangerous_code", "reject", action, personal,
		"Commands that destroy, or give a stranger a shell."},
	{"scanner.backdoor", "reject", action, personal,
		"What lets a stranger come back."},
	{"scanner.unicode", "reject", action, personal,
		"Characters that a reader can't see."},
	{"scanner.pii", "off", action, personal,
		"Personal data: addresses, numbers of cards and accounts."},
	{"scanner.rules", `""`, line(4096), personal,
		"A file with rules of your own, in the form of gitleaks; empty is none."},
	{"scanner.allow", "[]", exceptions, personal,
		"What passes all the same: a list of {rule, match, sha256, fingerprint, reason}, of which the\nreason and one other are required."},

	{"writeback.enabled", "true", nil, projects,
		"Whether finished conversations are learned from."},
	{"writeback.model", `""`, line(200), personal,
		"The language model that extracts; empty is llm.model."},
	{"writeback.trigger_threshold", "5", within(0, 1_000_000), projects,
		"Least number of tool calls that make a conversation worth learning from."},
	{"writeback.require_success", "true", nil, projects,
		"Whether only conversations that ended well are learned from."},
	{"writeback.max_entries", "20", within(1, 100), projects,
		"Most entries that one conversation leaves at a time."},
	{"writeback.summaries", "true", nil, projects,
		"Whether a conversation leaves a summary: what was asked, done and left open."},
	{"writeback.command", "[]", program, personal,
		"The program that extracts in place of the built-in rules, once a conversation:\n[claude, -p], [codex, exec, -], [gemini, -p, \"\"], [ollama, run, qwen3], or any that\ntakes a question on its standard input. It wins over llm.base_url. See\ndocs/writeback.md."},
	{"writeback.prompt", `""`, line(4096), personal,
		"A file with the question to put, in place of the one that \"rnixfs writeback\nprompt\" prints."},

	{"llm.base_url", `""`, address, personal,
		"An endpoint, such as \"https://api.example.com/v1\", whose model extracts in\nplace of the built-in rules. What it is asked goes there: turns of conversations,\nwith secrets masked. Empty: nobody is asked. The llm keys count in your own\nmemory.yaml and in the file of --config only."},
	{"llm.api", `""`, emptyOr(oneOf("openai", "anthropic")), personal,
		"What it speaks: openai (chat completions) or anthropic (messages). Empty: the\nendpoint is asked."},
	{"llm.model", `""`, line(200), personal,
		"The name of the model."},
	{"llm.api_key_env", `""`, variable, personal,
		"The environment variable that has the key, such as OPENAI_API_KEY."},
	{"llm.timeout", "1m", between(time.Second, 10*time.Minute), personal,
		"How long one answer may take; then it is asked again later."},
	{"llm.max_tokens_per_day", "200000", within(0, 1_000_000_000), personal,
		"Most tokens of a day (UTC), questions and answers together."},
	{"llm.max_input_tokens", "24000", within(4000, 1_000_000), personal,
		"Most tokens of one question, about: the conversation is shortened to fit."},

	{"recall.enabled", "true", nil, personal,
		"Whether memory can be searched: the recall device."},
	{"recall.max_results", "20", within(1, 1000), personal,
		"How many results a search returns that does not say how many."},

	{"knowledge", "[]", collections, personal,
		"Documents of others that can be searched, by section: manual pages, and folders of\nMarkdown and text. It counts in your own memory.yaml and in the file of --config\nonly. \"rnixfs knowledge add\" enters rows:\n  knowledge:\n    - {man: [1, 5, 7, 8]}\n    - {dir: ~/runbooks, glob: \"**/*.md\"}\nSee docs/knowledge.md."},

	{"user_profile.enabled", "true", nil, personal,
		"Whether the profile, the memory of who the user is, can be written."},

	{"inject.order", "global_first", oneOf(GlobalFirst, ProjectFirst), projects,
		"Which memory an agent that starts is given first: global_first or\nproject_first. See docs/agents.md."},

	{"context.max_tokens", "800", within(200, 2000), personal,
		"Most tokens, about, of what an agent that starts is shown of memory; 2000 are\nnearly all that Claude Code takes from a hook."},
	{"context.chars", "0", within(0, 100_000), personal,
		"Most characters of it, its frame included; 0 is any number."},
	{"context.scope_chars", "0", within(0, 100_000), personal,
		"Most characters of the lines of one scope; 0 is any number. What a scope does not\nneed of them goes to no other."},
	{"context.scope_lines", "0", within(0, 1000), personal,
		"Most lines of one scope; 0 is any number."},
	{"context.share", "even", oneOf(memory.ShareEven, memory.ShareNone), personal,
		"Who gets the room: even, each scope as much, and what one does not need the\nothers; or none, the scopes in their order as much as they need."},
	{"context.order", "[]", order, personal,
		"The scopes that are shown, in this order, such as [memory, session]; empty: the\nuser, and what inject.order says."},
	{"context.header", `""`, text(4000), personal,
		"What stands before the entries, in place of the frame and of how to use memory,\nwhich {usage} stands for; where nothing is remembered nothing is shown then. This\nkey, the footer and the line count for tasks, too. See docs/agents.md."},
	{"context.footer", `""`, text(4000), personal,
		"What stands behind them."},
	{"context.line", `""`, template, personal,
		"The form of a line, such as \"- [{scope}] {key}: {content}\": the lines have no\nheadings then. Known are {scope}, {key}, {category}, {content} and {date}."},

	{"mount.allow_other", "false", nil, atMount,
		"Whether other users of this machine may enter the mount. Unless root mounts,\nthis needs user_allow_other in /etc/fuse.conf. Takes effect at the next mount."},
	{"mount.deadline", "5s", between(100*time.Millisecond, 10*time.Minute), atMount,
		"How long one request may take before it fails with ETIMEDOUT. Takes effect\nat the next mount."},

	{"log.level", "info", oneOf(LevelDebug, LevelInfo, LevelWarn, LevelError), personal,
		"Least level that is logged: debug, info, warn or error. The text of an entry\nis never logged."},
}
