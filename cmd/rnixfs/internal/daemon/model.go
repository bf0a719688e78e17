package daemon

import (
	"cmp"
	"context"
	"os"
	"time"

	"github.com/rnixfs/rnixfs/kernel/process"
	"github.com/rnixfs/rnixfs/kernel/recall"
	"github.com/rnixfs/rnixfs/kernel/writeback"
	"github.com/rnixfs/rnixfs/kernel/writeback/llm"
	"github.com/rnixfs/rnixfs/kernel/writeback/rules"
)

// model is the language model that the configuration in force names.
func (k *Kernel) model() llm.Endpoint {
	c := k.Config().Config
	e := llm.Endpoint{
		BaseURL: c.LLM.BaseURL, Model: cmp.Or(c.Writeback.Model, c.LLM.Model), Timeout: c.LLM.Timeout, MaxInput: c.LLM.MaxInputTokens,
		Budget: &llm.Budget{File: k.Paths.Tokens(), Max: c.LLM.MaxTokensPerDay},
	}
	if c.LLM.APIKeyEnv != "" {
		e.Key = os.Getenv(c.LLM.APIKeyEnv)
	}
	return e
}

// asker has the model extract where one is configured at that moment.
type asker struct{ *Kernel }

// Extract implements writeback.Extractor.
func (a asker) Extract(ctx context.Context, c process.Transcript, after, most int) ([]rules.Candidate, error) {
	if a.model().BaseURL == "" {
		return nil, writeback.ErrNoModel
	}
	return llm.Extractor{Endpoint: a.model}.Extract(ctx, c, after, most)
}

// digester has the model write summaries. A reader waits for them, so they have
// the time of one request, and a little less.
type digester struct{ *Kernel }

// Summarize implements recall.Summarizer. What is remembered was scanned, the query
// was not: one that would not be stored is not sent.
func (d digester) Summarize(ctx context.Context, query string, hits []recall.Hit, budget int) (recall.Summary, error) {
	if d.model().BaseURL == "" || d.Store.Withhold(ctx, query) {
		return recall.Summary{}, nil
	}
	return llm.Summarizer{Endpoint: func() llm.Endpoint {
		e := d.model()
		e.Timeout = min(e.Timeout, max(d.Config().Config.Mount.Deadline-time.Second, time.Second))
		return e
	}}.Summarize(ctx, query, hits, budget)
}
