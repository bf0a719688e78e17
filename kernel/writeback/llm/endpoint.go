package llm

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

// The protocols of an [Endpoint].
const (
	OpenAI    = "openai"    // chat completions: https://platform.openai.com/docs/api-reference/chat
	Anthropic = "anthropic" // messages: https://docs.anthropic.com/en/api/messages
)

// Endpoint is a server that is asked.
type Endpoint struct {
	BaseURL   string // "https://api.example.com/v1"; "": none is configured
	API       string // OpenAI or Anthropic; "": by the address, else by what the server knows
	Model     string
	Key       string        // "": none
	Timeout   time.Duration // of one question; 0: two minutes
	MaxOutput int           // tokens of an answer; 0: 8000
	Budget    *Budget       // of a day; nil: none
}

const (
	opAsk     = "ask model"
	maxAnswer = 1 << 20 // bytes of a reply
	// answerTokens is what an answer is taken to cost beforehand.
	answerTokens = 4000
	maxPause     = 24 * time.Hour // that a server can ask for
)

// direct follows no redirect: the key is for the address that was configured.
var direct = &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}

// request is a question in either protocol. Servers differ in what they take, see
// [request.without].
type request struct {
	Model       string            `json:"model,omitempty"`
	Messages    []any             `json:"messages"`
	MaxTokens   int               `json:"max_tokens,omitempty"`
	Completion  int               `json:"max_completion_tokens,omitempty"`
	Temperature *float64          `json:"temperature,omitempty"`
	Stream      bool              `json:"stream"` // never: some servers do unless they are told
	Format      map[string]string `json:"response_format,omitempty"`
}

// without leaves out of a request what a server refuses, by the name that its answer
// has, or whatever is left: each once. It returns false when nothing is left.
func (r *request) without(why string) bool {
	says := func(name string) bool { return why == "" || strings.Contains(why, name) }
	switch {
	case r.Format != nil && says("response_format"):
		r.Format = nil
	case r.Temperature != nil && says("temperature"):
		r.Temperature = nil
	case r.MaxTokens > 0 && r.Completion == 0 && says("max_tokens"):
		r.Completion, r.MaxTokens = r.MaxTokens, 0
	default:
		return why != "" && r.without("")
	}
	return true
}

// Ask implements [Model].
func (e Endpoint) Ask(ctx context.Context, prompt string) (string, error) {
	if e.BaseURL == "" {
		return "", memory.Errorf(memory.KindUnavailable, opAsk, "no model is configured")
	}
	ctx, cancel := context.WithTimeout(ctx, cmp.Or(max(e.Timeout, 0), 2*time.Minute))
	defer cancel()
	return e.Budget.spend(memory.Tokens(prompt)+answerTokens, func() (string, int, error) {
		text, used, err := e.converse(ctx, prompt)
		if err != nil && ctx.Err() != nil {
			err = memory.Errorf(memory.KindTimeout, opAsk, "the model did not answer in time")
		}
		return text, used, err
	})
}

// converse asks until a request is one that the server takes.
func (e Endpoint) converse(ctx context.Context, prompt string) (string, int, error) {
	base, err := url.Parse(e.BaseURL)
	if err != nil || base.Host == "" { // its text may quote the address, which may hold a key
		return "", 0, memory.Errorf(memory.KindInvalid, opAsk, "llm.base_url is no address")
	}
	api := e.API
	if api == "" && strings.HasSuffix(base.Hostname(), "anthropic.com") {
		api = Anthropic
	}
	req := request{Model: e.Model, Messages: []any{map[string]string{"role": "user", "content": prompt}}, MaxTokens: cmp.Or(e.MaxOutput, 8000)}
	if api != Anthropic {
		req.Temperature, req.Format = new(float64), map[string]string{"type": "json_object"}
	}
	for {
		status, head, body, err := e.send(ctx, base, api, req)
		if err != nil {
			return "", 0, err
		}
		switch {
		case status == http.StatusOK:
			return read(body)
		case (status == http.StatusNotFound || status == http.StatusMethodNotAllowed) && api == "":
			api, req.Temperature, req.Format = Anthropic, nil, nil // it may speak the other one
		case (status == http.StatusBadRequest || status == http.StatusUnprocessableEntity) && req.without(string(body)+"?"):
		default:
			return "", 0, e.refused(status, head)
		}
	}
}

// refused is the error of an answer with another status than 200.
func (e Endpoint) refused(status int, head http.Header) error {
	kind, why := memory.KindInvalid, "does not take the question"
	switch {
	case status == http.StatusTooManyRequests || status >= 500:
		kind, why = memory.KindUnavailable, "can't answer now"
		e.Budget.settle(0, retryAfter(head.Get("Retry-After")))
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		kind, why = memory.KindDenied, "does not accept the key"
	case status == http.StatusNotFound || status == http.StatusMethodNotAllowed:
		kind, why = memory.KindDenied, "has no such address or model"
	case status >= 300 && status < 400:
		kind, why = memory.KindDenied, "is elsewhere, and the key is for this address alone"
	}
	return memory.Errorf(kind, opAsk, "the server %s (status %d)", why, status)
}

// send sends one request. Of an answer that is an error, only the beginning is read.
func (e Endpoint) send(ctx context.Context, base *url.URL, api string, req request) (int, http.Header, []byte, error) {
	at := *base
	if at.Path = strings.TrimRight(at.Path, "/"); at.Path == "" {
		at.Path = "/v1"
	}
	path := "/chat/completions"
	if api == Anthropic {
		path = "/messages"
	}
	raw, err := json.Marshal(req)
	if err != nil {
		return 0, nil, nil, memory.Errorf(memory.KindInternal, opAsk, "the question is no JSON")
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, at.JoinPath(path).String(), bytes.NewReader(raw))
	if err != nil {
		return 0, nil, nil, memory.Errorf(memory.KindInvalid, opAsk, "llm.base_url is no address")
	}
	r.Header.Set("Content-Type", "application/json")
	switch {
	case api == Anthropic:
		r.Header.Set("anthropic-version", "2023-06-01")
		r.Header.Set("x-api-key", e.Key)
	case e.Key != "":
		r.Header.Set("Authorization", "Bearer "+e.Key)
	}
	res, err := direct.Do(r)
	if err != nil { // its text has the address
		return 0, nil, nil, memory.Errorf(memory.KindUnavailable, opAsk, "the server can't be reached")
	}
	defer func() { _ = res.Body.Close() }()
	most := int64(maxAnswer)
	if res.StatusCode != http.StatusOK {
		most = 64 << 10
	}
	body, err := io.ReadAll(io.LimitReader(res.Body, most+1))
	switch {
	case res.StatusCode != http.StatusOK:
		return res.StatusCode, res.Header, body, nil
	case err != nil:
		return 0, nil, nil, memory.Errorf(memory.KindUnavailable, opAsk, "the answer was cut off")
	case int64(len(body)) > most:
		return 0, nil, nil, memory.Errorf(memory.KindInvalid, opAsk, "the answer has more than %d bytes", most)
	}
	return res.StatusCode, res.Header, body, nil
}

// retryAfter reads the header's seconds or date (RFC 9110, 10.2.3).
func retryAfter(value string) time.Duration {
	wait, err := time.ParseDuration(value + "s")
	if at, bad := http.ParseTime(value); err != nil && bad == nil {
		wait = time.Until(at)
	}
	return min(max(wait, 0), maxPause)
}

// read takes the model's words from a reply of either protocol.
func read(raw []byte) (text string, used int, err error) {
	var reply struct {
		Choices []struct {
			Message struct{ Content string }
			Finish  string `json:"finish_reason"`
		}
		Content []struct{ Type, Text string }
		Stop    string `json:"stop_reason"`
		Usage   struct {
			Total  int `json:"total_tokens"`
			Input  int `json:"input_tokens"`
			Output int `json:"output_tokens"`
		}
	}
	if json.Unmarshal(raw, &reply) != nil {
		return "", 0, memory.Errorf(memory.KindInvalid, opAsk, "the answer is not JSON of the protocol")
	}
	end := reply.Stop
	if len(reply.Choices) > 0 {
		text, end = reply.Choices[0].Message.Content, reply.Choices[0].Finish
	}
	for _, c := range reply.Content {
		if c.Type == "text" {
			text += c.Text
		}
	}
	switch end {
	case "length", "max_tokens", "content_filter", "refusal":
		return "", 0, memory.Errorf(memory.KindInvalid, opAsk, "the answer is not whole")
	}
	if strings.TrimSpace(text) == "" {
		return "", 0, memory.Errorf(memory.KindInvalid, opAsk, "the answer is empty")
	}
	return text, cmp.Or(reply.Usage.Total, reply.Usage.Input+reply.Usage.Output), nil
}
