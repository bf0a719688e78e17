package llm

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

// Endpoint is where a model is asked, and how.
type Endpoint struct {
	BaseURL string // "https://api.example.com/v1"; "": none is configured
	Model   string
	Key     string        // sent as a bearer token; "": none
	Timeout time.Duration // of one call with its retries; 0: 60 s

	MaxInput  int     // tokens of a conversation that are sent; 0: 12000
	MaxOutput int     // tokens of an answer; 0: 2000
	Budget    *Budget // of a day; nil: none

	Client *http.Client // nil: one that follows no redirect
	// Sleep waits; nil: time.After.
	Sleep func(ctx context.Context, d time.Duration) error
}

const (
	opAsk       = "ask model"
	maxAnswer   = 1 << 20          // bytes of a reply
	maxTries    = 3                // of one question
	maxPatience = 20 * time.Second // with a server that says when to come back
)

type message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

type chatRequest struct {
	Model          string    `json:"model,omitempty"`
	Messages       []message `json:"messages"`
	MaxTokens      int       `json:"max_tokens"`
	Temperature    float64   `json:"temperature"`
	Stream         bool      `json:"stream"` // never: some servers do unless they are told
	ResponseFormat any       `json:"response_format,omitempty"`
}

type chatReply struct {
	Choices []struct {
		Message      message `json:"message"`
		FinishReason string  `json:"finish_reason"`
	} `json:"choices"`
	Usage struct {
		Total int `json:"total_tokens"`
	} `json:"usage"`
}

// ask asks one question and returns the model's words. format is the schema of
// the answer, left out where the server does not know it.
func (e Endpoint) ask(ctx context.Context, messages []message, format any) (string, error) {
	if e.BaseURL == "" {
		return "", memory.Errorf(memory.KindUnavailable, opAsk, "no model is configured")
	}
	timeout := e.Timeout
	if timeout <= 0 {
		timeout = time.Minute
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	req := chatRequest{Model: e.Model, Messages: messages, MaxTokens: e.maxOutput(), ResponseFormat: format}
	cost := e.maxOutput()
	for _, m := range messages {
		cost += tokens(m.Content)
	}
	if err := e.Budget.take(cost); err != nil {
		return "", err
	}
	text, used, err := e.converse(ctx, req)
	if err == nil && used > 0 {
		e.Budget.settle(used - cost)
	}
	if ctx.Err() != nil && err != nil {
		err = memory.Errorf(memory.KindTimeout, opAsk, "the model did not answer in time")
	}
	return text, err
}

func (e Endpoint) maxOutput() int {
	if e.MaxOutput > 0 {
		return e.MaxOutput
	}
	return 2000
}

// converse asks until there is an answer, as long as that can help.
func (e Endpoint) converse(ctx context.Context, req chatRequest) (string, int, error) {
	var last error
	for try := range maxTries {
		text, used, wait, err := e.once(ctx, req)
		var status *statusError
		switch {
		case err == nil:
			return text, used, nil
		case errors.As(err, &status) && status.refuses() && req.ResponseFormat != nil:
			req.ResponseFormat = nil // it may not know schemas
			last = err
			continue
		case errors.As(err, &status) && status.passes():
		default:
			return "", 0, err
		}
		last = err
		if wait <= 0 {
			wait = time.Second << try
		}
		if wait > maxPatience || try == maxTries-1 {
			break
		}
		if err := e.sleep(ctx, wait); err != nil {
			break
		}
	}
	return "", 0, last
}

func (e Endpoint) sleep(ctx context.Context, d time.Duration) error {
	if e.Sleep != nil {
		return e.Sleep(ctx, d)
	}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

// statusError is an answer with another status than 200.
type statusError struct{ code int }

func (s *statusError) Error() string {
	return fmt.Sprintf("the server answered with status %d", s.code)
}

// refuses: the request is not as the server wants it.
func (s *statusError) refuses() bool { return s.code == 400 || s.code == 404 || s.code == 422 }

// passes: it may be another matter in a moment.
func (s *statusError) passes() bool { return s.code == 429 || s.code >= 500 }

// once sends one request. wait is how long the server asks to wait.
func (e Endpoint) once(ctx context.Context, req chatRequest) (text string, used int, wait time.Duration, err error) {
	body, err := json.Marshal(req)
	if err != nil {
		return "", 0, 0, err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, strings.TrimRight(e.BaseURL, "/")+"/chat/completions", bytes.NewReader(body))
	if err != nil { // its text may quote the address, which may hold a key
		return "", 0, 0, memory.Errorf(memory.KindInvalid, opAsk, "llm.base_url is no address")
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json")
	if e.Key != "" {
		r.Header.Set("Authorization", "Bearer "+e.Key)
	}
	client := e.Client
	if client == nil {
		client = &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	}
	res, err := client.Do(r)
	if err != nil {
		return "", 0, 0, memory.Errorf(memory.KindUnavailable, opAsk, "the server can't be reached")
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		_, _ = io.CopyN(io.Discard, res.Body, 64<<10) // so that the connection can be used again
		return "", 0, retryAfter(res.Header.Get("Retry-After")), memory.Errorf(memory.KindUnavailable, opAsk, "%w", &statusError{res.StatusCode})
	}
	raw, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer+1))
	if err != nil {
		return "", 0, 0, memory.Errorf(memory.KindUnavailable, opAsk, "the answer was cut off")
	}
	if len(raw) > maxAnswer {
		return "", 0, 0, memory.Errorf(memory.KindTooBig, opAsk, "the answer has more than %d bytes", maxAnswer)
	}
	text, used, err = read(raw)
	return text, used, 0, err
}

// retryAfter reads the header's seconds or date (RFC 9110, 10.2.3).
func retryAfter(value string) time.Duration {
	if n, err := strconv.Atoi(value); err == nil && n >= 0 {
		return time.Duration(n) * time.Second
	}
	if at, err := http.ParseTime(value); err == nil {
		return max(0, time.Until(at))
	}
	return 0
}

// read takes the model's words from a reply.
func read(raw []byte) (text string, used int, err error) {
	var reply chatReply
	if json.Unmarshal(raw, &reply) != nil {
		return "", 0, memory.Errorf(memory.KindInvalid, opAsk, "the answer is not JSON of the protocol")
	}
	if len(reply.Choices) == 0 || reply.Choices[0].Message.Content == "" {
		return "", 0, memory.Errorf(memory.KindInvalid, opAsk, "the answer is empty")
	}
	c := reply.Choices[0]
	if c.FinishReason == "length" || c.FinishReason == "content_filter" {
		return "", 0, memory.Errorf(memory.KindInvalid, opAsk, "the answer is not whole")
	}
	return c.Message.Content, reply.Usage.Total, nil
}
