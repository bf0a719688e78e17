// Package build knows what this program was made from: its version, and the modules
// whose licences ask that a binary carries their notices. It imports nothing of ours.
package build

import (
	"cmp"
	_ "embed"
	"runtime/debug"
	"strings"
)

// version and revision are set by the linker for a release (scripts/release).
var version, revision string

// Notices are the licences of what is linked. TestNotices in the root keeps them
// current, and writes them.
//
//go:embed THIRD_PARTY_LICENSES
var Notices string

// Version returns the version of this program and the commit it was built from, as far
// as they are known: from the linker for a release, from the module for "go install",
// from the working copy for "go build".
func Version() (number, commit string) {
	number, commit = version, revision
	if info, ok := debug.ReadBuildInfo(); ok {
		number = cmp.Or(number, strings.TrimPrefix(info.Main.Version, "v"))
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				commit = cmp.Or(commit, s.Value[:min(12, len(s.Value))])
			}
		}
	}
	if number == "(devel)" {
		number = ""
	}
	return cmp.Or(number, "devel"), commit
}
