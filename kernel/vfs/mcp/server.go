package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/tool"
	"github.com/rnixfs/rnixfs/kernel/vfs"
)

// Options are what a server needs.
type Options struct {
	// Call runs a request on a device and returns the reply, of a refused one, too. An
	// error means that there is none.
	Call    func(ctx context.Context, device string, request []byte) (reply []byte, err error)
	Mask    func(string) string  // takes the secrets out of a text
	Tools   map[string]tool.Tool // instead of memory_recall and memory_remember; nil: those
	Version string               // of the program
	Logger  *slog.Logger
}

// server answers the calls of one session.
type server struct{ Options }

// Serve serves one client until in ends, and answers what it asked before, or until ctx
// ends.
func Serve(ctx context.Context, in io.Reader, out io.Writer, opts Options) error {
	s := &server{opts}
	offered, told := ours, instructions
	if opts.Tools != nil { // a tool that clears must not be recommended by its name
		offered = opts.Tools
		told = unnamed.Replace(told)
	}
	m := sdk.NewServer(&sdk.Implementation{Name: "rnixfs", Version: opts.Version}, &sdk.ServerOptions{
		Instructions: told,
		Capabilities: &sdk.ServerCapabilities{Tools: &sdk.ToolCapabilities{}, Resources: &sdk.ResourceCapabilities{}},
		SetCacheable: func(_ context.Context, req sdk.Request, c *sdk.Cacheable) {
			c.CacheScope = "private"
			if _, memory := req.(*sdk.ReadResourceRequest); !memory {
				c.TTLMs = int(time.Hour / time.Millisecond) // the lists stay what they are
			}
		},
	})
	for name, t := range offered {
		// Hints that are left out mean "true".
		m.AddTool(&sdk.Tool{Name: name, Description: t.Description, InputSchema: t.Schema(), Annotations: &sdk.ToolAnnotations{
			ReadOnlyHint: reads(t), IdempotentHint: reads(t), DestructiveHint: new(!reads(t)), OpenWorldHint: new(false),
		}}, func(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			text, failed := s.call(ctx, t, req)
			return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: strings.TrimSpace(text)}}, IsError: failed}, nil
		})
	}
	m.AddResource(&sdk.Resource{
		URI: "memory://context", Name: "context", MIMEType: "text/plain",
		Description: "What is remembered that is worth knowing before you start here.",
	}, s.context)
	ended := make(chan error, 1)
	go func() { ended <- m.Run(context.WithoutCancel(ctx), newLines(in, out, opts.Mask)) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done(): // nothing else ends a read of standard input
		return ctx.Err()
	}
}

// call runs a tool, and says what a model is told.
func (s *server) call(ctx context.Context, t tool.Tool, req *sdk.CallToolRequest) (text string, failed bool) {
	raw := req.Params.Arguments
	if len(raw) == 0 {
		raw = []byte("{}")
	}
	args, err := t.Bind(raw)
	if s.Tools == nil { // models fill in all that they may leave out
		maps.DeleteFunc(args, func(_ string, v any) bool { return v == "" })
	}
	var reply []byte
	if err == nil {
		reply, err = s.run(ctx, deviceOf(t, args), stamp(t, t.RequestFor(args), req.ClientInfo()))
	}
	if err != nil {
		reply = vfs.Failure(err, nil).Body
	}
	if s.Tools == nil {
		return show(t, reply)
	}
	var known failure
	_ = json.Unmarshal(reply, &known) // what is no reply has failed
	return string(t.ReplyTo(args, reply, s.Mask)), !known.OK
}

// run is Call behind a panic guard.
func (s *server) run(ctx context.Context, device string, request []byte) (reply []byte, err error) {
	defer func() {
		if v := recover(); v != nil { // its value may quote the request
			s.Logger.Error("call panicked", "device", device, "type", fmt.Sprintf("%T", v), "stack", string(debug.Stack()))
			err = memory.Errorf(memory.KindInternal, "mcp", "the call failed and was not completed")
		}
	}()
	begun := time.Now()
	reply, err = s.Call(ctx, device, request)
	if err != nil && memory.KindOf(err) == memory.KindInternal { // of this process: its paths are nobody else's
		err = memory.Errorf(memory.KindUnavailable, "mcp", "%s", s.Mask(err.Error()))
	}
	s.Logger.Debug("called", "device", device, "took", time.Since(begun), "err", err)
	return reply, err
}

// context reads memory://context.
func (s *server) context(ctx context.Context, _ *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
	body, err := s.run(ctx, "context", []byte(`{"road":"mcp"}`))
	var reply struct {
		failure
		Context string
	}
	if err == nil {
		err = json.Unmarshal(body, &reply)
	}
	if err == nil && !reply.OK {
		err = fmt.Errorf("%s: %s", reply.Code, reply.Error)
	}
	if s.Tools != nil {
		reply.Context = unnamed.Replace(reply.Context)
	}
	return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{{Text: reply.Context}}}, err
}

// reads reports whether a tool changes nothing.
func reads(t tool.Tool) bool {
	request, _ := t.Request.(map[string]any)
	action, _ := request["action"].(string)
	return slices.Contains([]string{"recall", "context", "events"}, t.Device) || slices.Contains([]string{"get", "list", "snapshot", "history"}, action)
}

// stamp says in a request that leaves an entry by which road it came, and for whom.
func stamp(t tool.Tool, request []byte, client *sdk.Implementation) []byte {
	var fields map[string]any
	if reads(t) || t.Device == "knowledge" || t.Device == "process" || json.Unmarshal(request, &fields) != nil {
		return request
	}
	if fields["road"] = "mcp"; client != nil {
		fields["client"] = strings.TrimSpace(client.Name + " " + client.Version)
	}
	stamped, _ := json.Marshal(fields)
	return stamped
}
