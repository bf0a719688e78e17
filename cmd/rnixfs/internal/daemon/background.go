package daemon

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
)

// readyFD is the descriptor on which a process in the background tells its
// parent how its start went: ready, and what is to be noted, or why not.
const (
	readyFD = 3
	ready   = "ready"
)

// readyEnv marks a process that was started by Background.
const readyEnv = "RNIXFS_READY_FD"

// Background runs this program again with args, detached from the terminal, and
// returns when it reports that its mount answers, and what it notes about that. Its log
// goes to logFile. Where it ended instead, its exit code is beside the error.
func Background(ctx context.Context, args []string, logFile string) (note string, code int, err error) {
	self, err := os.Executable()
	if err != nil {
		return "", 0, err
	}
	if err := os.MkdirAll(filepath.Dir(logFile), 0o700); err != nil {
		return "", 0, fmt.Errorf("make the log's folder: %w", err)
	}
	log, err := os.OpenFile(logFile, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return "", 0, fmt.Errorf("open the log: %w", err)
	}
	defer log.Close()
	r, w, err := os.Pipe()
	if err != nil {
		return "", 0, err
	}
	defer r.Close()

	cmd := exec.Command(self, args...) //nolint:noctx // it outlives this command
	cmd.Stdout, cmd.Stderr = log, log
	cmd.ExtraFiles = []*os.File{w}
	cmd.Env = append(os.Environ(), readyEnv+"=1")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	err = cmd.Start()
	w.Close()
	if err != nil {
		return "", 0, fmt.Errorf("start in the background: %w", err)
	}
	word := make(chan string, 1)
	go func() {
		line, _ := io.ReadAll(bufio.NewReader(r))
		word <- strings.TrimSpace(string(line))
	}()
	select {
	case got := <-word:
		return reported(cmd, got, logFile)
	case <-ctx.Done():
		_ = cmd.Process.Signal(syscall.SIGTERM)
		return "", 0, errors.Join(ctx.Err(), cmd.Wait())
	}
}

func reported(cmd *exec.Cmd, got, logFile string) (note string, code int, err error) {
	if note, ok := strings.CutPrefix(got, ready); ok {
		return strings.TrimSpace(note), 0, cmd.Process.Release()
	}
	_ = cmd.Wait()
	return "", cmd.ProcessState.ExitCode(), errors.New(cmp.Or(got, "it ended without a word; see "+logFile))
}

// Report tells the parent that started this process in the background how the
// start went: nil for ready. It does so once; later calls do nothing.
func Report(note string, err error) {
	if os.Getenv(readyEnv) == "" {
		return
	}
	os.Unsetenv(readyEnv)
	w := os.NewFile(readyFD, "ready")
	word := ready + "\n" + note
	if err != nil {
		word = err.Error()
	}
	_, _ = w.WriteString(word) // a parent that is gone needs no word
	w.Close()
}
