package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/tool"
	"github.com/rnixfs/rnixfs/kernel/vfs"
)

func toolCmd(a *app) *cobra.Command {
	cmd := command("tool [NAME [ARGUMENTS]]", "List or run the tools of memory.yaml", cobra.ArbitraryArgs, func(ctx context.Context, args []string) error {
		loaded, err := a.settings(ctx, "")
		if err != nil {
			return withExit(exitConfig, err)
		}
		a.warn(loaded)
		tools := loaded.Config.Tools
		if len(args) == 0 {
			return listTools(a, tools)
		}
		t, known := tools[args[0]]
		if !known {
			return withExit(exitUsage, fmt.Errorf("unknown tool %s; rnixfs tool lists those of your memory.yaml, and a preset brings more", memory.QuoteName(args[0])))
		}
		if err := fromStdin(ctx, a, args[1:]); err != nil {
			return err
		}
		return runTool(ctx, a, t, args[1:])
	})
	cmd.Long = `Without a name it lists the tools that rows of memory.yaml, and presets, make: requests
of a device under the names that agents of another system know. With --json it gives
their arguments as JSON schemas.

With a name it runs the tool and prints its reply as a line of JSON. ARGUMENTS are one
JSON object, - for one on standard input, or words NAME=VALUE.`
	cmd.Example = `  rnixfs tool
  rnixfs tool save_memory '{"fact":"tabs over spaces","category":"preference"}'
  rnixfs tool save_memory fact='tabs over spaces' category=preference`
	return cmd
}

func listTools(a *app, tools map[string]tool.Tool) error {
	type listed struct {
		Name        string         `json:"name"`
		Description string         `json:"description,omitempty"`
		Schema      map[string]any `json:"inputSchema"`
	}
	all := []listed{}
	for _, name := range slices.Sorted(maps.Keys(tools)) {
		all = append(all, listed{name, tools[name].Description, tools[name].Schema()})
	}
	if len(all) == 0 {
		return a.say(all, "no tools; rows of tools in your memory.yaml make them, and so does a preset")
	}
	return a.print(all, func(w io.Writer) {
		table(w, []any{"NAME", "ARGUMENTS", "DESCRIPTION"}, func(row func(...any)) {
			for _, t := range all {
				args := tools[t.Name].ArgNames()
				for i, arg := range args {
					if !tools[t.Name].Args[arg].Required {
						args[i] = "[" + arg + "]"
					}
				}
				row(t.Name, strings.Join(args, " "), t.Description)
			}
		})
	})
}

// runTool runs a tool and prints what it answers, in every case a line of JSON.
func runTool(ctx context.Context, a *app, t tool.Tool, words []string) error {
	args, err := bind(t, words)
	var body []byte
	if err == nil {
		body, err = a.call(ctx, t.Device, t.RequestFor(args))
	}
	var refused *refusal
	switch {
	case errors.As(err, &refused):
		body = refused.reply
	case memory.KindOf(err) == memory.KindInvalid:
		body = vfs.Failure(err, nil).Body
	case err != nil:
		return err
	}
	if _, werr := a.out.Write(t.ReplyTo(args, body, shown)); werr != nil || err == nil {
		return werr
	}
	return withExit(kindExit(memory.KindOf(err)), nil)
}

// bind reads the arguments: a JSON object, or words.
func bind(t tool.Tool, words []string) (map[string]any, error) {
	if len(words) == 1 && strings.HasPrefix(strings.TrimSpace(words[0]), "{") {
		return t.Bind([]byte(words[0]))
	}
	args := map[string]any{}
	for _, word := range words {
		name, value, ok := strings.Cut(word, "=")
		if _, twice := args[name]; !ok || twice {
			return nil, memory.Errorf(memory.KindInvalid, "tool", "arguments are one JSON object, or words NAME=VALUE, each name once")
		}
		switch kind := t.Args[name].Type; {
		case kind != "" && kind != "string" && json.Valid([]byte(value)):
			args[name] = json.RawMessage(value)
		default:
			args[name] = value
		}
	}
	raw, err := json.Marshal(args)
	if err != nil {
		return nil, err
	}
	return t.Bind(raw)
}
