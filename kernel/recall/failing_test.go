package recall

import (
	"errors"

	index "github.com/blevesearch/bleve_index_api"
)

// failing is an index whose writes fail.
type failing struct{ index.Index }

func (failing) Batch(*index.Batch) error { return errors.New("disk is gone") }
