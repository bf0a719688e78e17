// Package mcp serves the devices to agents over the Model Context Protocol, on standard
// input and output: two tools, memory_recall and memory_remember, and the resource
// memory://context. Where memory.yaml says so, the tools of a preset take their place.
//
// It has no way to memory of its own: each call is a request to a device, which
// [Options.Call] runs, through a mount or in process. Whatever a call comes to, it is a
// result: a refusal has isError and begins with the device's code, such as "rejected" or
// "over_limit", and its hint, for the model to act on.
//
// The SDK speaks the protocol, all revisions of it on one connection. The lines are read
// here, so that one that is no message is answered and passed over: the SDK ends the
// session there. What the end of the input leaves unanswered is answered first.
//
// A client says what it is called. That is the label source.client of what it writes, no
// more: such a write is always an agent's, whoever runs the client.
//
// The command imports it. It alone imports the SDK; of ours it imports memory, tool and
// vfs.
package mcp
