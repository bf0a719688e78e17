package vfs

import (
	"context"
	"slices"

	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/process"
)

// turnGroup is the turns of one conversation in requests that follow one another.
type turnGroup struct {
	first  *processRequest
	caller memory.Caller
	turns  []process.Turn
	counts []int // turns of each request
}

// takes reports whether a request belongs to the same conversation.
func (g *turnGroup) takes(caller memory.Caller, req *processRequest) bool {
	f := g.first
	return f == nil || caller.Project == g.caller.Project && f.UUID == req.UUID && f.Session == req.Session && f.Agent == req.Agent
}

// ExecAll implements Batcher: turns of one conversation that follow one another are
// made durable by one flush of the disk. Where that fails, they are done one by
// one, so that each has its own answer.
func (d *processDevice) ExecAll(ctx context.Context, caller memory.Caller, requests [][]byte) []Result {
	var out []Result
	for len(requests) > 0 {
		g := d.group(caller, requests)
		n := len(g.counts)
		if n > 1 {
			if done := d.keepGroup(ctx, g); done != nil {
				out, requests = append(out, done...), requests[n:]
				continue
			}
		}
		for range max(n, 1) {
			res := d.Exec(ctx, caller, requests[0])
			out, requests = append(out, res), requests[1:]
			if !res.OK {
				return out
			}
		}
	}
	return out
}

// group collects the turns at the beginning of the requests, as long as they belong
// to one conversation.
func (d *processDevice) group(caller memory.Caller, requests [][]byte) *turnGroup {
	g := &turnGroup{}
	for _, raw := range requests {
		own := caller
		req, err := d.decode(&own, raw)
		if err != nil || req.Action != "turn" && req.Action != "turns" || !g.takes(own, req) {
			break
		}
		turns, err := req.turns(d.Now())
		if err != nil {
			break
		}
		if g.first == nil {
			g.first, g.caller = req, own
		}
		g.turns = append(g.turns, turns...)
		g.counts = append(g.counts, len(turns))
	}
	return g
}

// keepGroup keeps the turns of a group, or returns nil.
func (d *processDevice) keepGroup(ctx context.Context, g *turnGroup) []Result {
	store, err := d.Store(g.caller.UID)
	if err != nil {
		return nil
	}
	reply, err := d.append(ctx, store, g.caller, g.first, g.turns)
	if err != nil {
		return nil
	}
	return g.answers(reply)
}

// answers are the replies to a group's requests. Where some turns were known already,
// or masked, the store does not say in which requests those were: the last reply has
// the sum.
func (g *turnGroup) answers(reply *processReply) []Result {
	out := make([]Result, len(g.counts))
	last, exact := reply.Turns, *reply.Added == len(g.turns) && reply.Masked == 0
	for i, n := range slices.Backward(g.counts) {
		r := processReply{OK: true, Message: "turns kept; the last reply counts them", UUID: reply.UUID, Turns: last}
		switch {
		case exact:
			r.Message, r.Added = plural(n, "turn")+" kept", &n
			last -= n
		case i == len(out)-1:
			r = *reply
		}
		out[i] = Result{Body: encode(&r), OK: true}
	}
	return out
}
