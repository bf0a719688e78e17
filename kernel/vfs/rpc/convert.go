package rpc

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/tool"
)

// nameOf is the argument, or the field of a reply, that a field of a message stands for.
func nameOf(f protoreflect.FieldDescriptor) string {
	if f.Kind() == protoreflect.BytesKind {
		return strings.TrimSuffix(string(f.Name()), "_json")
	}
	return string(f.Name())
}

// arguments are the fields of a message as the arguments of a tool, a JSON object. What is 0
// or false, which a message does not tell from what is left out, is given where the tool
// requires it.
func arguments(m protoreflect.Message, t tool.Tool) ([]byte, error) {
	args := map[string]any{}
	for i := range m.Descriptor().Fields().Len() {
		f := m.Descriptor().Fields().Get(i)
		name, value := nameOf(f), m.Get(f)
		text := f.IsList() || f.Kind() == protoreflect.StringKind || f.Kind() == protoreflect.BytesKind
		switch {
		case !m.Has(f) && (text || !t.Args[name].Required):
		case f.IsList():
			list := []any{}
			for i := range value.List().Len() {
				list = append(list, value.List().Get(i).Interface())
			}
			args[name] = list
		case f.Kind() == protoreflect.BytesKind:
			args[name] = json.RawMessage(value.Bytes())
		default:
			args[name] = value.Interface()
		}
	}
	raw, err := json.Marshal(args)
	if err != nil {
		return nil, memory.Errorf(memory.KindInvalid, "call", "a field is not JSON, or a number is not finite")
	}
	return raw, nil
}

// answer fills a message with those fields of a reply that it has.
func answer(m proto.Message, reply []byte) error {
	var fields map[string]any
	dec := json.NewDecoder(bytes.NewReader(reply))
	dec.UseNumber()
	if err := dec.Decode(&fields); err != nil {
		return err
	}
	raw, err := json.Marshal(fit(m.ProtoReflect().Descriptor(), fields))
	if err != nil {
		return err
	}
	return protojson.Unmarshal(raw, m)
}

// fit is a reply as the JSON of a message.
func fit(of protoreflect.MessageDescriptor, reply map[string]any) map[string]any {
	out := map[string]any{}
	for i := range of.Fields().Len() {
		f := of.Fields().Get(i)
		value := reply[nameOf(f)]
		if list, many := value.([]any); many && f.IsList() {
			for i := range list {
				list[i] = fitValue(f, list[i])
			}
		} else if value != nil {
			value = fitValue(f, value)
		}
		out[string(f.Name())] = value // null is what is not there
	}
	return out
}

func fitValue(f protoreflect.FieldDescriptor, value any) any {
	text, isText := value.(string)
	raw, _ := json.Marshal(value) // it was JSON
	switch f.Kind() {
	case protoreflect.MessageKind:
		if fields, ok := value.(map[string]any); ok {
			return fit(f.Message(), fields)
		}
	case protoreflect.BytesKind:
		return raw
	case protoreflect.StringKind:
		if !isText {
			return string(raw)
		}
	case protoreflect.Int64Kind:
		if at, err := time.Parse(time.RFC3339, text); err == nil {
			return at.Unix()
		}
	}
	return value
}

// strict reads and writes messages as JSON. Connect's own passes over unknown fields.
type strict string

// Name is the content type's.
func (s strict) Name() string { return string(s) }

// Marshal writes a message.
func (strict) Marshal(m any) ([]byte, error) {
	return protojson.Marshal(m.(proto.Message)) //nolint:errcheck // connect gives it nothing else
}

// Unmarshal reads a message. The error says nothing of what was sent.
func (strict) Unmarshal(raw []byte, m any) error {
	message := m.(proto.Message) //nolint:errcheck // as above
	if protojson.Unmarshal(raw, message) == nil {
		return nil
	}
	var sent map[string]json.RawMessage
	_ = json.Unmarshal(raw, &sent)
	for i, of := 0, message.ProtoReflect().Descriptor().Fields(); i < of.Len(); i++ {
		name := string(of.Get(i).Name())
		one, _ := json.Marshal(map[string]json.RawMessage{name: sent[name]}) // it was JSON
		if protojson.Unmarshal(one, message) != nil {
			return fmt.Errorf("the field %s must be of the type %s", name, of.Get(i).Kind())
		}
	}
	return errors.New("not the JSON of the method's message: an unknown field, or no object")
}
