package file

// LookAgain is how often a [ReadOnly] looks at its folder.
const LookAgain = lookAgain
