package vfs

import (
	"reflect"
	"strings"
	"testing"

	"github.com/rnixfs/rnixfs/kernel/memory/store"
	"github.com/rnixfs/rnixfs/kernel/tool"
)

// TestToolsKnowAllFields: the template of a tool's reply may name each field that a
// device's reply has, and no other.
func TestToolsKnowAllFields(t *testing.T) {
	var check func(reflect.Type)
	check = func(reply reflect.Type) {
		for i := range reply.NumField() {
			f := reply.Field(i)
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			switch {
			case f.Anonymous:
				check(f.Type)
			case f.IsExported():
				if _, reason := asks(name).Fault(); reason != "" {
					t.Errorf("%s of %s: %s", name, reply, reason)
				}
			}
		}
	}
	for _, reply := range []any{store.Reply{}, contextReply{}, eventsReply{}, KnowledgeReply{}, processReply{}, RecallReply{}, failure{}} {
		check(reflect.TypeOf(reply))
	}
	if _, reason := asks("okay").Fault(); reason == "" {
		t.Error("a field that no reply has is taken")
	}
}

func asks(field string) tool.Tool {
	return tool.Tool{Request: map[string]any{}, Reply: map[string]any{"a": "$" + field}}
}
