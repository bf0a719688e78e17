package vfs

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/process"
)

// ProcessOptions are what the process device is made of. Store and Project are
// required.
type ProcessOptions struct {
	// Store returns the conversations of a user.
	Store   func(uid uint32) (*process.Store, error)
	Project ProjectFunc
	// Ended hands a conversation that has ended to the writeback, durably, and
	// returns the job; "" when nothing is learned from conversations.
	Ended func(ctx context.Context, p process.Conversation) (job string, err error)
	Now   func() time.Time // default time.Now
}

// processReply is what the process device answers.
type processReply struct {
	OK      bool                  `json:"ok"`
	Message string                `json:"message,omitempty"`
	UUID    string                `json:"uuid"`
	Added   *int                  `json:"added,omitempty"`  // turns of this request that were not there
	Masked  int                   `json:"masked,omitempty"` // of them: something in them was masked
	Turns   int                   `json:"turns"`            // the number of the last turn
	Job     string                `json:"job,omitempty"`    // end: of the writeback
	Process *process.Conversation `json:"process,omitempty"`
}

// processDevice takes the turns of an agent's run, as it happens or later.
type processDevice struct {
	writable
	ProcessOptions
}

// NewProcess returns the process device.
func NewProcess(opts ProcessOptions) Device {
	if opts.Now == nil {
		opts.Now = time.Now
	}
	if opts.Ended == nil {
		opts.Ended = func(context.Context, process.Conversation) (string, error) { return "", nil }
	}
	return &processDevice{
		ProcessOptions: opts,
		writable:       helpOf("process"),
	}
}

func (d *processDevice) Exec(ctx context.Context, caller memory.Caller, request []byte) Result {
	reply, err := d.exec(ctx, caller, request)
	if err != nil {
		return Failure(err, nil)
	}
	return Result{Body: encode(reply), OK: true}
}

func (d *processDevice) exec(ctx context.Context, caller memory.Caller, request []byte) (*processReply, error) {
	req, err := d.decode(&caller, request)
	if err != nil {
		return nil, err
	}
	store, err := d.Store(caller.UID)
	if err != nil {
		return nil, err
	}
	switch req.Action {
	case "start":
		return d.start(ctx, store, caller, req)
	case "turn", "turns":
		turns, err := req.turns(d.Now())
		if err != nil {
			return nil, err
		}
		return d.append(ctx, store, caller, req, turns)
	case "end":
		return d.end(ctx, store, caller, req)
	}
	return d.get(ctx, store, caller, req)
}

// decode decodes a request and narrows the caller's project to what it names.
func (d *processDevice) decode(caller *memory.Caller, request []byte) (*processRequest, error) {
	req := &processRequest{}
	if err := memory.DecodeStrict(request, req); err != nil {
		return nil, err
	}
	if err := narrow(caller, req.Project, d.Project); err != nil {
		return nil, err
	}
	if _, err := caller.In(); err != nil {
		return nil, err
	}
	if err := req.check(); err != nil {
		return nil, err
	}
	if req.Session == "" && req.UUID == "" {
		req.Session = caller.Session // of the tree s/<id>/ that it came through
	}
	if req.Action != "start" && req.UUID == "" && req.Session == "" {
		return nil, memory.Errorf(memory.KindInvalid, req.Action, "say which conversation: its uuid, or its session")
	}
	return req, nil
}

func (d *processDevice) start(ctx context.Context, store *process.Store, caller memory.Caller, req *processRequest) (*processReply, error) {
	p, err := d.begin(ctx, store, caller, req)
	if err != nil {
		return nil, err
	}
	return &processReply{OK: true, Message: "conversation started", UUID: p.UUID, Process: &p}, nil
}

// begin starts the conversation, or continues it if it exists.
func (d *processDevice) begin(ctx context.Context, store *process.Store, caller memory.Caller, req *processRequest) (process.Conversation, error) {
	p, err := store.Begin(ctx, process.Conversation{
		UUID: req.UUID, Project: caller.Project, UID: caller.UID, Agent: req.Agent, External: req.Session, Parent: req.Parent,
		Title: req.Title, Branch: req.Branch, Model: req.Model, Trust: caller.Trust, Start: d.Now(),
	})
	switch {
	case errors.Is(err, process.ErrRemoved):
		return p, memory.Errorf(memory.KindNotFound, req.Action, "the conversation was removed")
	case err != nil:
		return p, err
	case p.Project != caller.Project:
		return process.Conversation{}, memory.Errorf(memory.KindExists, req.Action, "this session is a conversation of another project; take another name for it")
	}
	return p, nil
}

func notHere(op string) error {
	return memory.Errorf(memory.KindNotFound, op, "no such conversation in this project")
}

// find returns the conversation of the caller's project that a request names.
func (d *processDevice) find(ctx context.Context, store *process.Store, caller memory.Caller, req *processRequest) (process.Conversation, error) {
	uuid := cmp.Or(req.UUID, process.ID(caller.UID, req.Agent, req.Session))
	p, err := store.Conversation(ctx, caller.Project, uuid)
	if memory.KindOf(err) == memory.KindNotFound {
		return p, notHere(req.Action)
	}
	return p, err
}

// append keeps turns. Those of a session that is unknown begin its conversation.
func (d *processDevice) append(ctx context.Context, store *process.Store, caller memory.Caller, req *processRequest, turns []process.Turn) (*processReply, error) {
	uuid := cmp.Or(req.UUID, process.ID(caller.UID, req.Agent, req.Session))
	res, err := store.Append(ctx, caller.Project, uuid, turns)
	if memory.KindOf(err) == memory.KindNotFound {
		if req.UUID != "" {
			return nil, notHere(req.Action)
		}
		if _, err := d.begin(ctx, store, caller, req); err != nil {
			return nil, err
		}
		res, err = store.Append(ctx, caller.Project, uuid, turns)
	}
	if err != nil {
		return nil, err
	}
	return &processReply{OK: true, Message: plural(res.Added, "turn") + " kept", UUID: uuid, Added: &res.Added, Masked: res.Masked, Turns: res.Turns}, nil
}

func (d *processDevice) end(ctx context.Context, store *process.Store, caller memory.Caller, req *processRequest) (*processReply, error) {
	p, err := d.find(ctx, store, caller, req)
	if err != nil {
		return nil, err
	}
	end := process.End{Time: d.Now(), ExitCode: req.ExitCode, Reason: req.Reason}
	if err := store.End(ctx, caller.Project, p.UUID, end); err != nil {
		return nil, err
	}
	if p, err = store.Conversation(ctx, caller.Project, p.UUID); err != nil {
		return nil, err
	}
	job, err := d.Ended(ctx, p)
	if err != nil {
		return nil, err
	}
	size, err := store.Size(ctx, caller.Project, p.UUID)
	if err != nil {
		return nil, err
	}
	return &processReply{OK: true, Message: "conversation ended", UUID: p.UUID, Turns: size.Turns, Job: job}, nil
}

func (d *processDevice) get(ctx context.Context, store *process.Store, caller memory.Caller, req *processRequest) (*processReply, error) {
	p, err := d.find(ctx, store, caller, req)
	if err != nil {
		return nil, err
	}
	size, err := store.Size(ctx, caller.Project, p.UUID)
	if err != nil {
		return nil, err
	}
	return &processReply{OK: true, UUID: p.UUID, Turns: size.Turns, Process: &p}, nil
}
