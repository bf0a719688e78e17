package vfs

import (
	"context"

	"github.com/rnixfs/rnixfs/kernel/knowledge"
	"github.com/rnixfs/rnixfs/kernel/memory"
)

// LibraryFunc returns the documents that a caller may search.
type LibraryFunc func(caller memory.Caller) (*knowledge.Library, error)

// knowledgeDevice tells which documents can be searched, and has them read again.
type knowledgeDevice struct {
	writable
	library LibraryFunc
}

// NewKnowledge returns the knowledge device.
func NewKnowledge(library LibraryFunc) Device {
	return &knowledgeDevice{library: library, writable: helpOf("knowledge")}
}

type knowledgeRequest struct {
	Action string `json:"action"`
	Anew   bool   `json:"anew,omitempty"`
}

// KnowledgeReply is what the knowledge device shows and answers.
type KnowledgeReply struct {
	OK          bool                   `json:"ok"`
	Collections []knowledge.Collection `json:"collections"`
	Behind      bool                   `json:"behind,omitempty"` // documents are still being read
}

func (d *knowledgeDevice) Read(ctx context.Context, caller memory.Caller) []byte {
	body, err := d.show(ctx, caller, knowledgeRequest{})
	if err != nil {
		return encode(failureOf(err))
	}
	return body
}

func (d *knowledgeDevice) Exec(ctx context.Context, caller memory.Caller, request []byte) Result {
	var req knowledgeRequest
	err := memory.DecodeStrict(request, &req)
	if err == nil && req.Action != "list" && req.Action != "refresh" {
		err = memory.Errorf(memory.KindInvalid, "knowledge", `unknown action; it is "list" or "refresh"`)
	}
	var body []byte
	if err == nil {
		body, err = d.show(ctx, caller, req)
	}
	if err != nil {
		return Failure(err, nil)
	}
	return Result{Body: body, OK: true}
}

func (d *knowledgeDevice) show(ctx context.Context, caller memory.Caller, req knowledgeRequest) ([]byte, error) {
	library, err := d.library(caller)
	if err != nil {
		return nil, err
	}
	if req.Action == "refresh" {
		library.Refresh(req.Anew)
	}
	reply := KnowledgeReply{OK: true}
	reply.Collections, reply.Behind = library.Collections(ctx)
	return encode(reply), nil
}
