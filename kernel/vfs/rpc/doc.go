// Package rpc serves the devices as remote procedure calls on a unix socket, to clients of
// gRPC, gRPC-Web and Connect, and never on a network.
//
// The services are the files of proto/. Of rnixfs.v1.Devices a call is a request of a
// device, as JSON. Any other service is that of another memory system: its method SomeName
// is the tool some_name of the caller's memory.yaml, so what a method does is a row, not
// code. A field is the argument of its name; a field x_json, of bytes, is the argument x,
// any value of JSON. A reply's field is that of the tool's reply; a time is put into a number
// as the seconds since 1970.
//
// A caller is the process that opened the connection, by the system's word (SO_PEERCRED,
// unix(7)), attested at each call like one of the mount. Once that process has ended, whoever
// holds its connection is known by uid alone. A program is no person, whatever its terminal.
//
// A call runs to its end, also when its client has given up: how long a client waits, it says
// itself. Connections and calls are bounded by uid, so one user does not keep others waiting.
//
// Imported by the command; imports memory, tool and vfs; the only importer of
// connect and protobuf.
package rpc
