package postings

// Open opens the index in opts.Dir, or makes it.
func Open(opts Options) (Index, error) {
	return newInMemory(opts), nil
}
