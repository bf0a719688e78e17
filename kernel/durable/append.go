package durable

import (
	"errors"
	"os"
)

// AppendLine appends a line to the file at path, which it makes with the mode where
// it is missing, and flushes it. The line is one write(2), which O_APPEND keeps
// whole among those of other programs. The line ends with a newline already.
func AppendLine(path string, line []byte, mode os.FileMode) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, mode)
	if err != nil {
		return err
	}
	_, err = f.Write(line)
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}
