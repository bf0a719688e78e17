package file

// NewShadowFS is a folder whose changes are kept in memory, for tests.
func NewShadowFS(real FS) FS { return newShadowFS(real) }

// LookAgain is how often a [ReadOnly] looks at its folder.
const LookAgain = lookAgain
