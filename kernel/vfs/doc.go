// Package vfs is the device table: the names under the mount, and for each a
// contract of one JSON request in and one JSON reply out. There is one file per
// device.
//
// It knows nothing of FUSE. A front end (vfs/fuse, later MCP and RPC) finds out
// who is calling, cuts its input into JSON objects and hands each to
// [Table.Exec]; it shows the reply and maps its kind with [Errno]. No front end
// has a way to memory that does not pass here.
//
// # Invariants
//
//   - Exec never panics and never returns without a reply: a fault in a device
//     costs one request.
//   - A reply is one line of JSON, ended by a newline, and holds no secret.
//   - When Exec returns success, the effect is durable and can be recalled.
//
// Imported by front ends and the composition root; imports memory and recall.
package vfs
