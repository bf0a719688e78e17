// Package daemon is the composition root: it reads the configuration, wires
// scanner, store, providers, recall and devices into a [Kernel], and serves that
// over a mount until a signal ends it.
//
// It is the one place that knows every other package. Nothing imports it but the
// command line.
package daemon
