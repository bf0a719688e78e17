// Package paths says where everything lies: the folders of a user, by the XDG base
// directory specification, and what of rnixfs is in them.
//
// It opens and makes nothing. The composition root and the command line import it.
package paths
