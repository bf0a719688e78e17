// Package tool has requests of devices under other names: a row of memory.yaml says
// what a tool of another memory system takes, which request that is, and what it
// answers. Front ends that have tools (the command line, MCP) serve these rows.
//
// It is not a way to memory: the front end runs the request on the device, whose gate
// and whose errors are all there are.
//
// # Templates
//
// A template is a value of JSON. In it the text "$name" stands for the value of an
// argument, of whatever type, and is left out with its key where there is none;
// "$name" or "${name}" within a longer text is the value as text, and "$$" is "$". In a
// reply a name is a field of the device's reply, or else an argument, and dots lead into
// it; a mapping with the key "$each" is made once for each item of the list that this
// names, and names stand for the item's fields. A mapping {"$if": "$name", "then": a,
// "else": b} is a where the name has a value that is not false, and b where it has not.
//
// A value never becomes part of the template's structure: it is put in as a value, after
// the template was read.
//
// Imported by config, front ends and the command; imports memory.
package tool
