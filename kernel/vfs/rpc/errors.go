package rpc

import (
	"encoding/json"
	"errors"
	"strings"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/dynamicpb"

	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/vfs"
)

// codes is the one table from kinds to codes of gRPC.
var codes = map[memory.Kind]connect.Code{
	memory.KindInternal:    connect.CodeInternal,
	memory.KindInvalid:     connect.CodeInvalidArgument,
	memory.KindTooBig:      connect.CodeResourceExhausted, // as gRPC itself says of a message that is too long
	memory.KindRejected:    connect.CodePermissionDenied,
	memory.KindOverLimit:   connect.CodeResourceExhausted,
	memory.KindNotFound:    connect.CodeNotFound,
	memory.KindExists:      connect.CodeAlreadyExists,
	memory.KindConflict:    connect.CodeAborted,
	memory.KindReadOnly:    connect.CodeFailedPrecondition,
	memory.KindDenied:      connect.CodePermissionDenied,
	memory.KindTimeout:     connect.CodeDeadlineExceeded,
	memory.KindUnavailable: connect.CodeUnavailable,
	memory.KindRemoved:     connect.CodePermissionDenied,
}

const (
	codeKey   = "rnixfs-code" // the metadata with our own code
	maxDetail = 4 << 10       // of a reply that goes along: clients take some 8 KiB of metadata
)

// failure is a failed reply as an error.
func (s *Server) failure(res vfs.Result) error {
	var said struct{ Error, Hint string }
	_ = json.Unmarshal(res.Body, &said) // a device's reply is JSON
	if said.Hint != "" {
		said.Error += "; " + said.Hint
	}
	err := connect.NewError(codes[res.Kind], errors.New(said.Error))
	err.Meta().Set(codeKey, res.Kind.Code())
	reply := dynamicpb.NewMessage(s.reply)
	reply.Set(s.reply.Fields().Get(0), protoreflect.ValueOfString(strings.ToValidUTF8(string(res.Body), "\uFFFD")))
	if detail, derr := connect.NewErrorDetail(reply); derr == nil && len(res.Body) <= maxDetail {
		err.AddDetail(detail)
	}
	return err
}
