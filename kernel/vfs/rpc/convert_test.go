package rpc

import (
	"encoding/json"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/dynamicpb"

	"github.com/rnixfs/rnixfs/kernel/tool"
)

// methods are those of all services.
func methods(t testing.TB) (all []protoreflect.MethodDescriptor) {
	t.Helper()
	var set descriptorpb.FileDescriptorSet
	if err := proto.Unmarshal(descriptors, &set); err != nil {
		t.Fatal(err)
	}
	files, err := protodesc.NewFiles(&set)
	if err != nil {
		t.Fatal(err)
	}
	files.RangeFiles(func(f protoreflect.FileDescriptor) bool {
		for i := range f.Services().Len() {
			for j := range f.Services().Get(i).Methods().Len() {
				all = append(all, f.Services().Get(i).Methods().Get(j))
			}
		}
		return true
	})
	return all
}

// TestMessages: a request has fields that a tool can take, and no lists or messages in them.
func TestMessages(t *testing.T) {
	for _, m := range methods(t) {
		for i := range m.Input().Fields().Len() {
			switch f := m.Input().Fields().Get(i); {
			case f.Message() != nil || f.Enum() != nil || f.IsList() && f.Kind() != protoreflect.StringKind || f.HasPresence():
				t.Errorf("%s of %s: a field that no argument stands for", f.Name(), m.FullName())
			}
		}
	}
}

// FuzzMessages: whatever a message has in it, it is arguments in JSON or refused; whatever a
// reply has, it is a message or does not fit.
func FuzzMessages(f *testing.F) {
	f.Add([]byte("\x0a\x01a\x12\x01b\x2a\x07{\"a\":1}"), []byte(`{"events":[{"id":"a","data":[1,null],"timestamp":"2026-01-01T00:00:00Z"},5],"value":"0.5","total_tokens":1e3}`))
	f.Add([]byte("\x2a\x01{\x20\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"), []byte(`{"goals":{"id":1},"results":[[]],"chunks":[{"relevance":"NaN","tokens":2.5}],"reply":null}`))
	all := methods(f)
	f.Fuzz(func(t *testing.T, message, reply []byte) {
		for _, m := range all {
			in := dynamicpb.NewMessage(m.Input())
			if proto.Unmarshal(message, in) == nil {
				raw, err := arguments(in, tool.Tool{Args: map[string]tool.Arg{"success": {Required: true}, "priority": {Required: true}}})
				var fields map[string]any
				if err == nil && json.Unmarshal(raw, &fields) != nil {
					t.Fatalf("%s: not an object: %s", m.FullName(), raw)
				}
			}
			if out := dynamicpb.NewMessage(m.Output()); answer(out, reply) == nil {
				if _, err := proto.Marshal(out); err != nil {
					t.Fatalf("%s: %v", m.FullName(), err)
				}
			}
		}
	})
}
