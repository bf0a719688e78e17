package transcript

import (
	"encoding/json"
	"strings"
)

// block is a part of a message, in the words of the Messages API and of those
// that resemble it.
type block struct {
	Type      string          `json:"type"`
	Text      string          `json:"text"`
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Input     json.RawMessage `json:"input"`
	ToolUseID string          `json:"tool_use_id"`
	Content   json.RawMessage `json:"content"`
	IsError   bool            `json:"is_error"`
}

// blocks reads the content of a message: a string, a block, or a list of both.
func blocks(raw json.RawMessage) []block {
	var list []block
	for _, part := range items(raw) {
		var b block
		if isString(part) {
			list = append(list, block{Type: "text", Text: plain(part)})
		} else if isObject(part) && decode(part, &b) == nil {
			list = append(list, b)
		}
	}
	return list
}

// isText knows the names of a text block in the APIs.
func (b block) isText() bool {
	switch b.Type {
	case "text", "input_text", "output_text":
		return true
	case "":
		return b.Text != ""
	}
	return false
}

// texts joins the texts of a message's content. A picture or a file leaves a mark
// of its kind.
func texts(raw json.RawMessage) string {
	var parts []string
	for _, b := range blocks(raw) {
		if s := b.shown(); s != "" {
			parts = append(parts, s)
		}
	}
	return strings.Join(parts, "\n\n")
}

func (b block) shown() string {
	switch {
	case b.isText():
		return b.Text
	case b.Type == "image" || b.Type == "input_image" || b.Type == "image_url":
		return "[image]"
	case b.Type == "document" || b.Type == "file" || b.Type == "input_file":
		return "[file]"
	}
	return ""
}
