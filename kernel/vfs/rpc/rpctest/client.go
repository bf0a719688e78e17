// Package rpctest has a client of gRPC for tests: the one that most programs have, and
// nothing of the server's own. It knows no service but by asking the server.
package rpctest

import (
	"context"
	"fmt"
	"strings"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/reflection/grpc_reflection_v1"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/dynamicpb"
	"google.golang.org/protobuf/types/known/anypb"
)

// Client is a connection to a server's socket.
type Client struct{ conn *grpc.ClientConn }

// Failed is a call that failed.
type Failed struct {
	Status string // as gRPC says it: PermissionDenied
	Code   string // ours
	Text   string
	Reply  string // the device's
}

// Error has all but the reply.
func (f *Failed) Error() string { return f.Status + ": " + f.Code + ": " + f.Text }

// Dial makes a client, which connects at its first call.
func Dial(socket string) (*Client, error) {
	conn, err := grpc.NewClient("unix://"+socket, grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(64<<20)))
	return &Client{conn}, err
}

// Close ends the connection.
func (c *Client) Close() error { return c.conn.Close() }

// Methods are the methods of a service, as the server describes it.
func (c *Client) Methods(ctx context.Context, service string) (protoreflect.MethodDescriptors, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stream, err := grpc_reflection_v1.NewServerReflectionClient(c.conn).ServerReflectionInfo(ctx)
	if err != nil {
		return nil, err
	}
	if err := stream.Send(&grpc_reflection_v1.ServerReflectionRequest{
		MessageRequest: &grpc_reflection_v1.ServerReflectionRequest_FileContainingSymbol{FileContainingSymbol: service},
	}); err != nil {
		return nil, err
	}
	res, err := stream.Recv()
	if err != nil {
		return nil, err
	}
	var file descriptorpb.FileDescriptorProto
	raw := res.GetFileDescriptorResponse().GetFileDescriptorProto()
	if len(raw) != 1 {
		return nil, fmt.Errorf("%s: %v", service, res.GetErrorResponse())
	}
	if err := proto.Unmarshal(raw[0], &file); err != nil {
		return nil, err
	}
	desc, err := protodesc.NewFile(&file, nil)
	if err != nil {
		return nil, err
	}
	return desc.Services().Get(0).Methods(), nil
}

// Call calls a method, package.Service/Method, with a message as JSON, and returns the
// answer as JSON. Errors: *Failed.
func (c *Client) Call(ctx context.Context, method, message string) (string, error) {
	service, name, _ := strings.Cut(method, "/")
	methods, err := c.Methods(ctx, service)
	if err != nil {
		return "", err
	}
	m := methods.ByName(protoreflect.Name(name))
	if m == nil {
		return "", fmt.Errorf("no method %s", method)
	}
	in, out := dynamicpb.NewMessage(m.Input()), dynamicpb.NewMessage(m.Output())
	if err := protojson.Unmarshal([]byte(message), in); err != nil {
		return "", err
	}
	var trailer metadata.MD
	if err := c.conn.Invoke(ctx, "/"+method, in, out, grpc.Trailer(&trailer)); err != nil {
		st := status.Convert(err)
		f := &Failed{Status: st.Code().String(), Text: st.Message(), Code: strings.Join(trailer.Get("rnixfs-code"), ",")}
		for _, detail := range st.Proto().GetDetails() {
			f.Reply += replyOf(detail)
		}
		return "", f
	}
	raw, err := protojson.MarshalOptions{UseProtoNames: true, EmitUnpopulated: true}.Marshal(out)
	return string(raw), err
}

// replyOf is the text of a rnixfs.v1.Reply: its one field.
func replyOf(detail *anypb.Any) string {
	_, _, tag := protowire.ConsumeTag(detail.GetValue())
	text, _ := protowire.ConsumeString(detail.GetValue()[max(tag, 0):])
	return text
}
