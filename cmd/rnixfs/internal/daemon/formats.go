package daemon

import (
	"errors"

	"github.com/rnixfs/rnixfs/kernel/process/transcript"
)

// conversationFormats are the readers of other tools' histories.
func conversationFormats() ConversationFormats {
	f := ConversationFormats{
		Detect: func(path string) (ConversationFormat, error) { return transcript.Detect(path) },
		Skipped: func(err error) (string, int, bool) {
			var skip *transcript.Skip
			if errors.As(err, &skip) {
				return skip.Kind, skip.Count, true
			}
			return "record", 1, errors.Is(err, transcript.ErrSkipped)
		},
	}
	for _, format := range transcript.Formats() {
		f.All = append(f.All, format)
	}
	return f
}
