package config

import (
	"time"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

// settings are all keys, in the order of the reference; the keys of a section
// stand together.
var settings = []setting{
	boolean("enabled", "Whether memory can be written: the commit and profile devices. Reading and\nsearching do not depend on it.",
		func(c *Config) *bool { return &c.Enabled }),

	number("store.memory_char_limit", "Most characters (Unicode code points) of one project's memory. The global\nmemory has the same limit, of its own.",
		1, 100_000_000, func(c *Config) *int { return &c.Store.MemoryCharLimit }),
	number("store.user_char_limit", "Most characters of the user's profile.",
		1, 100_000_000, func(c *Config) *int { return &c.Store.UserCharLimit }),
	choice("store.overflow_policy", "What happens to a text that does not fit:\n  error      it is refused, and the agent is told to make room\n  fifo       the oldest entries make room\n  relevance  the least important and least recent ones make room\nPinned entries never make room.",
		func(c *Config) *memory.Overflow { return &c.Store.OverflowPolicy },
		memory.OverflowError, memory.OverflowFIFO, memory.OverflowRelevance),

	scan("scanner.secret", "What is done with a text in which something was found, by category: reject it,\nredact it (store it masked), warn (store it, and say so in the reply), or off.\nThe scanner's keys count in your own memory.yaml and in the file of --config\nonly. See docs/scanner.md.\nTokens, keys, recovery phrases.",
		func(c *Config) *ScanAction { return &c.Scanner.Secret }),
	scan("scanner.credential", "Passwords, credentials in URLs, headers and connection strings.",
		func(c *Config) *ScanAction { return &c.Scanner.Credential }),
	scan("scanner.prompt_injection", "Orders to whoever reads the memory.",
		func(c *Config) *ScanAction { return &c.Scanner.PromptInjection }),
	scan("scanner.exfiltration", "What sends secrets away.",
		func(c *Config) *ScanAction { return &c.Scanner.Exfiltration }),
	scan("scanner.dangerous_code", "Commands that destroy, or give a stranger a shell.",
		func(c *Config) *ScanAction { return &c.Scanner.DangerousCode }),
	scan("scanner.backdoor", "What lets a stranger come back.",
		func(c *Config) *ScanAction { return &c.Scanner.Backdoor }),
	scan("scanner.unicode", "Characters that a reader can't see.",
		func(c *Config) *ScanAction { return &c.Scanner.Unicode }),
	scan("scanner.pii", "Personal data: addresses, numbers of cards and accounts.",
		func(c *Config) *ScanAction { return &c.Scanner.PII }),
	text("scanner.rules", "A file with rules of your own, in the form of gitleaks; empty is none.",
		4096, func(c *Config) *string { return &c.Scanner.Rules }).ofUser(),
	allowed("scanner.allow", "What passes all the same: a list of {rule, match, sha256, reason}, of which the\nreason and one other are required.",
		func(c *Config) *[]ScanAllow { return &c.Scanner.Allow }).ofUser(),

	boolean("writeback.enabled", "Whether finished conversations are learned from.",
		func(c *Config) *bool { return &c.Writeback.Enabled }),
	text("writeback.model", "The language model that extracts; empty is llm.model.",
		200, func(c *Config) *string { return &c.Writeback.Model }),
	number("writeback.trigger_threshold", "Least number of tool calls that make a conversation worth learning from.",
		0, 1_000_000, func(c *Config) *int { return &c.Writeback.TriggerThreshold }),
	boolean("writeback.require_success", "Whether only conversations that ended well are learned from.",
		func(c *Config) *bool { return &c.Writeback.RequireSuccess }),
	number("writeback.max_entries", "Most entries that one conversation leaves at a time.",
		1, 100, func(c *Config) *int { return &c.Writeback.MaxEntries }),

	address("llm.base_url", "An OpenAI-compatible endpoint, such as \"https://api.example.com/v1\", whose model\nextracts in place of the built-in rules, and writes summaries. What it is asked\ngoes there: turns of conversations, with secrets masked. Empty: nobody is asked.\nThe llm keys count in your own memory.yaml and in the file of --config only.",
		func(c *Config) *string { return &c.LLM.BaseURL }).ofUser(),
	text("llm.model", "The name of the model.",
		200, func(c *Config) *string { return &c.LLM.Model }).ofUser(),
	text("llm.api_key_env", "The environment variable that has the key, such as OPENAI_API_KEY.",
		100, func(c *Config) *string { return &c.LLM.APIKeyEnv }).ofUser(),
	duration("llm.timeout", "How long one answer may take; then the built-in rules stand in.",
		time.Second, 10*time.Minute, func(c *Config) *time.Duration { return &c.LLM.Timeout }).ofUser(),
	number("llm.max_tokens_per_day", "Most tokens of a day (UTC), questions and answers together.",
		0, 1_000_000_000, func(c *Config) *int { return &c.LLM.MaxTokensPerDay }).ofUser(),
	number("llm.max_input_tokens", "Most tokens of one conversation that are sent, about.",
		1000, 1_000_000, func(c *Config) *int { return &c.LLM.MaxInputTokens }).ofUser(),

	boolean("recall.enabled", "Whether memory can be searched: the recall device.",
		func(c *Config) *bool { return &c.Recall.Enabled }),
	number("recall.max_results", "How many results a search returns that does not say how many.",
		1, 1000, func(c *Config) *int { return &c.Recall.MaxResults }),

	boolean("user_profile.enabled", "Whether the profile, the memory of who the user is, can be written.",
		func(c *Config) *bool { return &c.UserProfile.Enabled }),

	choice("inject.order", "Which memory an agent that starts is given first: global_first or\nproject_first. See docs/agents.md.",
		func(c *Config) *Order { return &c.Inject.Order },
		GlobalFirst, ProjectFirst),

	boolean("mount.allow_other", "Whether other users of this machine may enter the mount. Unless root mounts,\nthis needs user_allow_other in /etc/fuse.conf. Takes effect at the next mount.",
		func(c *Config) *bool { return &c.Mount.AllowOther }).atMount(),
	duration("mount.deadline", "How long one request may take before it fails with ETIMEDOUT. Takes effect\nat the next mount.",
		100*time.Millisecond, 10*time.Minute, func(c *Config) *time.Duration { return &c.Mount.Deadline }).atMount(),

	choice("log.level", "Least level that is logged: debug, info, warn or error. The text of an entry\nis never logged.",
		func(c *Config) *Level { return &c.Log.Level },
		LevelDebug, LevelInfo, LevelWarn, LevelError),
}
