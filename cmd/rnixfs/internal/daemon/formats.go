package daemon

import "github.com/rnixfs/rnixfs/kernel/memory"

// conversationFormats are the readers of other tools' histories.
func conversationFormats() ConversationFormats {
	return ConversationFormats{
		Detect: func(string) (ConversationFormat, error) {
			return nil, memory.Errorf(memory.KindInvalid, "import", "the file is no conversation of a kind that is known")
		},
		Skipped: func(error) (string, int, bool) { return "", 0, false },
	}
}
