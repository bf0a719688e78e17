// Package mcp serves the devices to agents over the Model Context Protocol, on standard
// input and output: two tools, or those of a preset, and the resource memory://context.
//
// It has no way to memory of its own: each call is a request to a device, which
// [Options.Call] runs. Whatever a call comes to is a result. A refusal has isError, and
// begins with the device's code and its reason, for the model to act on.
//
// The SDK speaks the protocol, all revisions of it on one connection. The lines are read
// here, because the SDK ends the session at a line that is no message, and gives up what
// runs when the input ends.
//
// What a client calls itself is a label of what it writes, no more.
//
// It alone imports the SDK; of ours it imports memory, tool and vfs.
package mcp
