package config

import (
	"time"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

var action = oneOf(ScanReject, ScanRedact, ScanWarn, ScanOff)

// settings are all keys, in the order of memory.yaml here, which says what each is and
// its default; the keys of a section stand together.
var settings = []setting{
	{"enabled", nil, projects},
	{"preset", presetRows, personal},
	{"store.memory_char_limit", within(1, 100_000_000), projects},
	{"store.user_char_limit", within(1, 100_000_000), personal},
	{"store.overflow_policy", oneOf(memory.OverflowError, memory.OverflowFIFO, memory.OverflowRelevance), projects},
	{"scopes", rows, projects},
	{"categories", categoryRows, personal},
	{"tools", toolRows, personal},
	{"score.importance", between(0., 1), personal},
	{"score.recency", between(0., 1), personal},
	{"score.decay_days", between(0.01, 36500), personal},
	{"scanner.secret", action, personal},
	{"scanner.credential", action, personal},
	{"scanner.prompt_injection", action, personal},
	{"scanner.exfiltration", action, personal},
	{"scanner.dangerous_code", action, personal},
	{"scanner.backdoor", action, personal},
	{"scanner.unicode", action, personal},
	{"scanner.pii", action, personal},
	{"scanner.rules", line(4096), personal},
	{"scanner.allow", exceptions, personal},
	{"writeback.enabled", nil, projects},
	{"writeback.model", line(200), personal},
	{"writeback.trigger_threshold", within(0, 1_000_000), projects},
	{"writeback.require_success", nil, projects},
	{"writeback.max_entries", within(1, 100), projects},
	{"writeback.summaries", nil, projects},
	{"writeback.command", program, personal},
	{"writeback.prompt", line(4096), personal},
	{"llm.base_url", address, personal},
	{"llm.api", emptyOr(oneOf("openai", "anthropic")), personal},
	{"llm.model", line(200), personal},
	{"llm.api_key_env", variable, personal},
	{"llm.timeout", between(time.Second, 10*time.Minute), personal},
	{"llm.max_tokens_per_day", within(0, 1_000_000_000), personal},
	{"llm.max_input_tokens", within(4000, 1_000_000), personal},
	{"recall.enabled", nil, personal},
	{"recall.max_results", within(1, 1000), personal},
	{"recall.model", nil, personal},
	{"recall.embeddings", embeddings, personal},
	{"knowledge", collections, personal},
	{"user_profile.enabled", nil, personal},
	{"inject.order", oneOf(GlobalFirst, ProjectFirst), projects},
	{"context.max_tokens", within(200, 2000), personal},
	{"context.chars", within(0, 100_000), personal},
	{"context.scope_chars", within(0, 100_000), personal},
	{"context.scope_lines", within(0, 1000), personal},
	{"context.share", oneOf(memory.ShareEven, memory.ShareNone), personal},
	{"context.order", order, personal},
	{"context.header", text(4000), personal},
	{"context.footer", text(4000), personal},
	{"context.line", template, personal},
	{"mcp.tools", emptyOr(oneOf(Presets()...)), personal},
	{"mount.allow_other", nil, atMount},
	{"mount.deadline", between(100*time.Millisecond, 10*time.Minute), atMount},
	{"rpc.socket", socket, atMount},
	{"log.level", oneOf(LevelDebug, LevelInfo, LevelWarn, LevelError), personal},
}
