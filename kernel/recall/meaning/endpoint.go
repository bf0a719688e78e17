package meaning

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"math"
	"net/http"
	"strings"
	"time"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

// Endpoint is a server that makes vectors of texts, in OpenAI's form.
type Endpoint struct {
	BaseURL string // "http://localhost:11434/v1"; "": there is none
	Model   string
	Key     string // "": none
	// What stands before each text and each question: what the model was trained with.
	DocumentPrefix, QueryPrefix string
}

const (
	opEmbed   = "embed"
	maxText   = 1500     // characters of one text: servers cut longer ones without a word
	minText   = 200      // bytes: a text this short is not cut further
	maxAnswer = 16 << 20 // bytes
	maxLength = 8192     // of a vector
	timeout   = 30 * time.Second
)

// errTooMuch says that a server takes fewer or shorter texts.
var errTooMuch = errors.New("too many or too long")

// direct follows no redirect: the key is for the address that was configured.
var direct = &http.Client{Timeout: timeout, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}

// embed returns the vectors of texts, in their order and of length 1. It asks for fewer
// and shorter texts until the server takes them; nil stands for one that it never does.
func (e Endpoint) embed(ctx context.Context, prefix string, texts []string) ([][]float32, error) {
	out, err := e.send(ctx, prefix, texts)
	switch half := len(texts) / 2; {
	case !errors.Is(err, errTooMuch):
		return out, err
	case half > 0:
		first, err := e.embed(ctx, prefix, texts[:half])
		if err != nil {
			return nil, err
		}
		rest, err := e.embed(ctx, prefix, texts[half:])
		return append(first, rest...), err
	case len(texts[0]) < minText && memory.KindOf(err) == memory.KindDenied:
		return nil, err
	case len(texts[0]) < minText:
		return [][]float32{nil}, nil
	}
	runes := []rune(texts[0])
	return e.embed(ctx, prefix, []string{string(runes[:min(len(runes)/2, maxText/2)])})
}

func (e Endpoint) send(ctx context.Context, prefix string, texts []string) ([][]float32, error) {
	input := make([]string, len(texts))
	for i, t := range texts {
		runes := []rune(t)
		input[i] = prefix + string(runes[:min(len(runes), maxText)])
	}
	body, err := json.Marshal(map[string]any{"model": e.Model, "input": input, "encoding_format": "float"})
	if err != nil {
		return nil, memory.Errorf(memory.KindInternal, opEmbed, "the texts are no JSON")
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, strings.TrimRight(e.BaseURL, "/")+"/embeddings", bytes.NewReader(body))
	if err != nil {
		return nil, memory.Errorf(memory.KindInvalid, opEmbed, "recall.embeddings.base_url is no address")
	}
	r.Header.Set("Content-Type", "application/json")
	if e.Key != "" {
		r.Header.Set("Authorization", "Bearer "+e.Key)
	}
	res, err := direct.Do(r)
	if err != nil { // its text has the address
		return nil, memory.Errorf(memory.KindUnavailable, opEmbed, "the server can't be reached, or did not answer in time")
	}
	defer func() { _ = res.Body.Close() }()
	switch status := res.StatusCode; {
	case status == http.StatusRequestEntityTooLarge || status == http.StatusUnprocessableEntity:
		return nil, errTooMuch
	case status == http.StatusBadRequest: // or anything else: many servers say so of a long text
		return nil, memory.Errorf(memory.KindDenied, opEmbed, "%w, or the server does not know the model", errTooMuch)
	case status == http.StatusTooManyRequests || status >= 500:
		return nil, memory.Errorf(memory.KindUnavailable, opEmbed, "the server can't answer now (status %d)", status)
	case status != http.StatusOK:
		return nil, memory.Errorf(memory.KindDenied, opEmbed, "the server does not take the texts, the model or the key (status %d)", status)
	}
	answer, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer+1))
	if err != nil || len(answer) > maxAnswer {
		return nil, memory.Errorf(memory.KindUnavailable, opEmbed, "the answer was cut off, or has more than %d bytes", maxAnswer)
	}
	return read(answer, len(texts))
}

// read takes n vectors from an answer.
func read(answer []byte, n int) ([][]float32, error) {
	var reply struct {
		Data []struct {
			Index     int
			Embedding []float32
		}
	}
	if json.Unmarshal(answer, &reply) != nil || len(reply.Data) != n { // NaN is no JSON
		return nil, memory.Errorf(memory.KindInvalid, opEmbed, "the answer does not have one vector for each text")
	}
	out := make([][]float32, n)
	for _, d := range reply.Data {
		if d.Index < 0 || d.Index >= n || out[d.Index] != nil || len(d.Embedding) != len(reply.Data[0].Embedding) ||
			len(d.Embedding) > maxLength || !normalise(d.Embedding) {
			return nil, memory.Errorf(memory.KindInvalid, opEmbed, "the answer has vectors that can't be compared")
		}
		out[d.Index] = d.Embedding
	}
	return out, nil
}

// normalise gives a vector the length 1, and reports whether it can.
func normalise(v []float32) bool {
	sum := 0.0
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	for i := range v {
		v[i] = float32(float64(v[i]) / math.Sqrt(sum))
	}
	return sum > 0
}
