package cli

import (
	"bytes"
	"fmt"
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// isJournal reports whether systemd's journal reads a file: systemd.exec(5), $JOURNAL_STREAM.
func isJournal(f *os.File) bool {
	var st unix.Stat_t
	return unix.Fstat(int(f.Fd()), &st) == nil && os.Getenv("JOURNAL_STREAM") == fmt.Sprintf("%d:%d", st.Dev, st.Ino)
}

// journal puts the priority of each line before it, as sd-daemon(3) has it. A quote within
// a text of the line is escaped, so no text is taken for the level.
type journal struct{ io.Writer }

func (j journal) Write(line []byte) (int, error) {
	priority := "<6>"
	for level, p := range map[string]string{"ERROR": "<3>", "WARN": "<4>", "DEBUG": "<7>"} {
		if bytes.Contains(line, []byte(`"level":"`+level+`"`)) {
			priority = p
		}
	}
	_, err := j.Writer.Write(append([]byte(priority), line...))
	return len(line), err
}
