package config

import (
	"errors"
	"log/slog"
	"strings"
	"time"

	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/tool"
)

// Config is a memory.yaml in force. All values are in the ranges that settings.go
// gives, where their defaults stand too.
type Config struct {
	Enabled     bool        `yaml:"enabled"` // whether the commit and profile devices take requests
	Store       Store       `yaml:"store"`
	Scanner     Scanner     `yaml:"scanner"`
	Writeback   Writeback   `yaml:"writeback"`
	LLM         LLM         `yaml:"llm"`
	Recall      Recall      `yaml:"recall"`
	UserProfile UserProfile `yaml:"user_profile"`
	Inject      Inject      `yaml:"inject"`
	Context     Context     `yaml:"context"`
	MCP         MCP         `yaml:"mcp"`
	Mount       Mount       `yaml:"mount"`
	RPC         RPC         `yaml:"rpc"`
	Log         Log         `yaml:"log"`

	Scopes map[string]ScopeRow `yaml:"scopes"` // over the rows that are built in; see Policies
	Score  Score               `yaml:"score"`

	Categories map[string]CategoryRow `yaml:"categories"` // over the rows that are built in; see CategoryTable
	Preset     Words                  `yaml:"preset"`     // names; see Presets
	Knowledge  []KnowledgeRow         `yaml:"knowledge"`  // documents that can be searched
	Tools      map[string]tool.Tool   `yaml:"tools"`      // requests under other names
}

// Store bounds what is remembered.
type Store struct {
	MemoryCharLimit int             `yaml:"memory_char_limit"` // runes of a project's memory, and as many of the global memory
	UserCharLimit   int             `yaml:"user_char_limit"`   // runes of the user's profile
	OverflowPolicy  memory.Overflow `yaml:"overflow_policy"`   // of all of them
}

// Scanner says what is done with what the scanner finds, by category.
type Scanner struct {
	Secret          ScanAction  `yaml:"secret"`
	Credential      ScanAction  `yaml:"credential"`
	PromptInjection ScanAction  `yaml:"prompt_injection"`
	Exfiltration    ScanAction  `yaml:"exfiltration"`
	DangerousCode   ScanAction  `yaml:"dangerous_code"`
	Backdoor        ScanAction  `yaml:"backdoor"`
	Unicode         ScanAction  `yaml:"unicode"`
	PII             ScanAction  `yaml:"pii"`
	Rules           string      `yaml:"rules"` // file with more rules; "" is none
	Allow           []ScanAllow `yaml:"allow"` // what passes all the same
}

// ScanAction is what is done with a text in which something was found.
type ScanAction string

// The actions, the strictest first.
const (
	ScanReject ScanAction = "reject" // it is refused
	ScanRedact ScanAction = "redact" // it is stored with what was found masked
	ScanWarn   ScanAction = "warn"   // it is stored, and the reply says so
	ScanOff    ScanAction = "off"    // it is not looked for
)

// ScanAllow lets pass what agrees with all of its fields that are set.
type ScanAllow struct {
	Rule   string `yaml:"rule"`   // id of the rule
	Match  string `yaml:"match"`  // regular expression for the whole of what was found
	SHA256 string `yaml:"sha256"` // of what was found, in hexadecimal
	// Fingerprint is what rnixfs allow enters: a keyed hash, by this user's key.
	Fingerprint string `yaml:"fingerprint"`
	Reason      string `yaml:"reason"` // required
}

// Writeback says what is learned from a conversation that ended.
type Writeback struct {
	Enabled          bool   `yaml:"enabled"`
	Model            string `yaml:"model"`             // of the configured endpoint; "" is its default
	TriggerThreshold int    `yaml:"trigger_threshold"` // least number of tool calls of a conversation worth learning from
	RequireSuccess   bool   `yaml:"require_success"`   // whether the conversation must have ended well
	MaxEntries       int    `yaml:"max_entries"`       // most entries that one conversation leaves
	Summaries        bool   `yaml:"summaries"`         // whether a conversation leaves a summary
	// Command is the program that extracts. Like Prompt and Model it is personal: a
	// project can't name a program that is run.
	Command Words  `yaml:"command"`
	Prompt  string `yaml:"prompt"` // file with the template of the question; "" is the built-in one
}

// Words are a list of words, such as a program and its arguments.
type Words []string

// UnmarshalText takes words that blanks separate.
func (w *Words) UnmarshalText(text []byte) error {
	if strings.ContainsAny(string(text), "\"'\\") {
		return errors.New("must be a list of words where one of them has quotes: [program, argument]")
	}
	*w = strings.Fields(string(text))
	return nil
}

// LLM is a language model that may be asked. All of it is personal: a project can't
// say where conversations are sent.
type LLM struct {
	BaseURL         string        `yaml:"base_url"` // "": no model is asked
	API             string        `yaml:"api"`      // openai, anthropic; "": found out by asking
	Model           string        `yaml:"model"`
	APIKeyEnv       string        `yaml:"api_key_env"` // name of the variable that has the key
	Timeout         time.Duration `yaml:"timeout"`     // of one question
	MaxTokensPerDay int           `yaml:"max_tokens_per_day"`
	MaxInputTokens  int           `yaml:"max_input_tokens"` // of one conversation
}

// Recall adjusts the search.
type Recall struct {
	Enabled    bool `yaml:"enabled"`
	MaxResults int  `yaml:"max_results"` // of a request that does not say how many
	Model      bool `yaml:"model"`       // whether what writeback asks may summarize, too
	// Embeddings is a model that finds texts by their meaning.
	Embeddings Embeddings `yaml:"embeddings"`
}

// Embeddings is a server that makes vectors of what is remembered, and of questions.
type Embeddings struct {
	BaseURL        string `yaml:"base_url"` // "": there is none
	Model          string `yaml:"model"`
	APIKeyEnv      string `yaml:"api_key_env"` // name of the variable that has the key
	DocumentPrefix string `yaml:"document_prefix"`
	QueryPrefix    string `yaml:"query_prefix"`
	AllowRemote    bool   `yaml:"allow_remote"` // whether it may be another machine
}

// UserProfile adjusts the profile device.
type UserProfile struct {
	Enabled bool `yaml:"enabled"`
}

// Inject says how memory is laid out for an agent that starts.
type Inject struct {
	Order Order `yaml:"order"`
}

// Order is which scope comes first.
type Order string

// The orders.
const (
	GlobalFirst  Order = "global_first"
	ProjectFirst Order = "project_first"
)

// Context bounds and lays out what an agent is shown. All of it is personal: what is
// shown of a repository's memory is not the repository's to frame.
type Context struct {
	MaxTokens  int            `yaml:"max_tokens"`
	Chars      int            `yaml:"chars"`       // most characters; 0: any number
	ScopeChars int            `yaml:"scope_chars"` // of the lines of one scope
	ScopeLines int            `yaml:"scope_lines"`
	Share      memory.Share   `yaml:"share"`
	Order      []memory.Scope `yaml:"order"` // the scopes that are shown; none: as Inject says
	Header     string         `yaml:"header"`
	Footer     string         `yaml:"footer"`
	Line       string         `yaml:"line"` // a template, of [memory.LineFields]
}

// MCP adjusts what agents are offered over the Model Context Protocol.
type MCP struct {
	Tools string `yaml:"tools"` // the preset whose tools they are; "": the program's own
}

// Mount adjusts the file system.
type Mount struct {
	AllowOther bool          `yaml:"allow_other"` // whether other users of the machine may enter the mount
	Deadline   time.Duration `yaml:"deadline"`    // of one request
}

// RPC adjusts the remote procedure calls.
type RPC struct {
	Socket string `yaml:"socket"` // where they are served; a name is one in the user's runtime directory; "": nowhere
}

// Log adjusts the log.
type Log struct {
	Level Level `yaml:"level"`
}

// Level is the least level of what is logged.
type Level string

// The levels.
const (
	LevelDebug Level = "debug"
	LevelInfo  Level = "info"
	LevelWarn  Level = "warn"
	LevelError Level = "error"
)

// Slog returns the level as log/slog counts; info for an unknown one.
func (l Level) Slog() slog.Level {
	var s slog.Level
	_ = s.UnmarshalText([]byte(l)) // leaves an unknown one at 0, which is info
	return s
}
