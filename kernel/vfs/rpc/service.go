package rpc

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strings"

	"connectrpc.com/connect"
	"connectrpc.com/grpcreflect"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/dynamicpb"

	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/vfs"
)

// descriptors are the files of proto/, compiled; a test holds that they are current.
//
//go:generate go test -run TestDescriptors -update
//go:embed proto/services.binpb
var descriptors []byte

// devices is the service whose methods are not tools.
const devices = "rnixfs.v1.Devices"

// handler serves each method, and tells clients of them (gRPC server reflection).
func (s *Server) handler() (http.Handler, error) {
	var set descriptorpb.FileDescriptorSet
	if err := proto.Unmarshal(descriptors, &set); err != nil {
		return nil, fmt.Errorf("load the services: %w", err)
	}
	files, err := protodesc.NewFiles(&set)
	if err != nil {
		return nil, fmt.Errorf("load the services: %w", err)
	}
	mux, names := http.NewServeMux(), []string{}
	files.RangeFiles(func(f protoreflect.FileDescriptor) bool {
		for i := range f.Services().Len() {
			service := f.Services().Get(i)
			names = append(names, string(service.FullName()))
			for i := range service.Methods().Len() {
				mux.Handle(s.method(service.Methods().Get(i)))
			}
			if service.FullName() == devices {
				s.reply = service.Methods().Get(0).Output()
			}
		}
		return true
	})
	known := grpcreflect.NewReflector(grpcreflect.NamerFunc(func() []string { return names }), grpcreflect.WithDescriptorResolver(files))
	mux.Handle(grpcreflect.NewHandlerV1(known, connect.WithReadMaxBytes(maxHeaders)))
	mux.Handle(grpcreflect.NewHandlerV1Alpha(known, connect.WithReadMaxBytes(maxHeaders)))
	return mux, nil
}

// method is the path of a method, and what serves it.
func (s *Server) method(m protoreflect.MethodDescriptor) (string, http.Handler) {
	path := "/" + string(m.Parent().FullName()) + "/" + string(m.Name())
	call := func(ctx context.Context, req *connect.Request[dynamicpb.Message]) (*connect.Response[dynamicpb.Message], error) {
		out := dynamicpb.NewMessage(m.Output())
		res := vfs.Failure(memory.Errorf(memory.KindInvalid, "call", "%s has a field that is unknown here", m.Input().Name()), nil)
		if len(req.Msg.GetUnknown()) == 0 {
			res = s.call(ctx, m, req.Msg)
		}
		if res.OK {
			if err := answer(out, res.Body); err != nil {
				res = vfs.Failure(memory.Errorf(memory.KindInternal, "call", "the reply does not fit the method's message"), nil)
			}
		}
		if !res.OK {
			return nil, s.failure(res)
		}
		return connect.NewResponse(out), nil
	}
	fresh := func(_ connect.Spec, message any) error {
		*message.(*dynamicpb.Message) = *dynamicpb.NewMessage(m.Input()) //nolint:errcheck // the handler's type
		return nil
	}
	return path, connect.NewUnaryHandler(path, call, connect.WithSchema(m), connect.WithReadMaxBytes(maxMessage),
		connect.WithRequestInitializer(fresh), connect.WithCodec(strict("json")), connect.WithCodec(strict("json; charset=utf-8")))
}

// call runs a method: of Devices what it says, of another service the tool of its name. A
// reply has the fields of the method's.
func (s *Server) call(ctx context.Context, m protoreflect.MethodDescriptor, in protoreflect.Message) vfs.Result {
	caller := s.caller(ctx)
	if m.Parent().FullName() != devices {
		return s.tool(ctx, caller, m, in)
	}
	text := func(name protoreflect.Name) string { return in.Get(m.Input().Fields().ByName(name)).String() }
	var request []byte
	if m.Name() == "Exec" {
		request = append([]byte{}, text("request")...)
	}
	res := s.ask(caller, text("device"), request)
	if res.OK {
		res.Body, _ = json.Marshal(map[string]string{"reply": string(res.Body)}) // a text
	}
	return res
}

// ask runs a request of a device, or reads the device where the request is nil.
func (s *Server) ask(caller memory.Caller, device string, request []byte) vfs.Result {
	d := s.opts.Table.Device(device)
	caller.Road = device
	switch {
	case d == nil:
		var names []string
		for _, d := range s.opts.Table.Devices() {
			names = append(names, d.Name())
		}
		return vfs.Failure(memory.Errorf(memory.KindNotFound, "call", "no device has the name %s; there are %s", memory.QuoteName(device), strings.Join(names, ", ")), nil)
	case request == nil:
		return vfs.Result{Body: s.opts.Table.Read(s.ctx, d, caller), OK: true}
	case len(request) > maxRequest:
		return s.opts.Table.Refuse(s.ctx, d, caller, memory.Errorf(memory.KindTooBig, "call", "a request may have %d bytes", maxRequest))
	}
	return s.opts.Table.Exec(s.ctx, d, caller, request)
}

var hump = regexp.MustCompile(`([a-z0-9])([A-Z])`)

// tool runs the tool of a method: get_recent_events of GetRecentEvents.
func (s *Server) tool(ctx context.Context, caller memory.Caller, m protoreflect.MethodDescriptor, in protoreflect.Message) vfs.Result {
	name := strings.ToLower(hump.ReplaceAllString(string(m.Name()), "${1}_$2"))
	t, known := s.opts.Tools(ctx, caller)[name]
	if !known {
		return vfs.Failure(memory.Errorf(memory.KindReadOnly, "call", "no row of tools in your memory.yaml makes %s; a preset does", name), nil)
	}
	raw, err := arguments(in, t)
	if err != nil {
		return vfs.Failure(err, nil)
	}
	args, err := t.Bind(raw)
	if err != nil {
		return vfs.Failure(err, nil)
	}
	res := s.ask(caller, t.Device, t.RequestFor(args))
	res.Body = t.ReplyTo(args, res.Body, s.opts.Mask)
	return res
}
