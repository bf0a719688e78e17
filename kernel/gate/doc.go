// Package gate is the scanner as memory needs it: loaded by the configuration,
// exchanged when that changes, its verdicts in memory's own words.
//
// Rules take tens of milliseconds to compile, so a mount loads them beside its
// start, and a command that may scan nothing with the first scan. Until they are
// there, every scan waits; if they can't be loaded, every scan fails. Other rules
// take the place of the old ones once they are loaded, and only if they can be.
//
// It imports memory, scanner and config; the composition root imports it.
package gate
