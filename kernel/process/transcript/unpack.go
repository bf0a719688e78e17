package transcript

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/klauspost/compress/zstd"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

// zstdMagic begins a frame, RFC 8878 section 3.1.1.
var zstdMagic = []byte{0x28, 0xb5, 0x2f, 0xfd}

// maxUnpacked is how much of a compressed file is read, in bytes when unpacked: a
// small file can hold any amount.
var maxUnpacked int64 = 4 << 30

// maxWindow is the memory that a frame may ask for to be unpacked.
const maxWindow = 64 << 20

func unpack(r io.Reader) (io.ReadCloser, error) {
	d, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(maxWindow))
	if err != nil {
		return nil, memory.Errorf(memory.KindInternal, opRead, "%w", err)
	}
	return d.IOReadCloser(), nil
}

// unpackedHead is the head of a file as it is when unpacked.
func unpackedHead(head []byte) []byte {
	if !bytes.HasPrefix(head, zstdMagic) {
		return head
	}
	d, err := unpack(bytes.NewReader(head))
	if err != nil {
		return nil
	}
	defer func() { _ = d.Close() }()
	out := make([]byte, headSize)
	n, _ := io.ReadFull(d, out) // the head ends within a frame
	return out[:n]
}

// unpackedLines is eachLine of a file that may be compressed. One that is damaged
// or was cut ends where it can't be read on, which is counted.
func unpackedLines(ctx context.Context, w *writer, path string, f func(line) bool) error {
	file, err := open(opRead, path)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	magic := make([]byte, len(zstdMagic))
	if _, err := file.ReadAt(magic, 0); err != nil || !bytes.Equal(magic, zstdMagic) {
		return eachLine(ctx, file, f)
	}
	d, err := unpack(file)
	if err != nil {
		return err
	}
	defer func() { _ = d.Close() }()
	r := &bounded{r: d, left: maxUnpacked}
	err = eachLine(ctx, r, f)
	if r.over {
		w.skipped.add(skipTooBig, 1)
	}
	if r.failed {
		w.skipped.add("damaged", 1)
	}
	return err
}

// bounded ends like a file at a limit, and where its reader fails.
type bounded struct {
	r            io.Reader
	left         int64
	over, failed bool
}

func (b *bounded) Read(p []byte) (int, error) {
	if b.left <= 0 {
		b.over = true
		return 0, io.EOF
	}
	n, err := b.r.Read(p[:min(int64(len(p)), b.left)])
	b.left -= int64(n)
	if err != nil && !errors.Is(err, io.EOF) {
		b.failed, err = true, io.EOF
	}
	return n, err
}

// codexTitle is the name that the user gave a session, from the list beside the
// folders of rollouts, where the last line of an id counts.
func codexTitle(path, id string) string {
	dir := filepath.Dir(path)
	for range 5 {
		base := filepath.Base(dir)
		dir = filepath.Dir(dir)
		if base == "sessions" || base == "archived_sessions" {
			break
		}
	}
	index := filepath.Join(dir, "session_index.jsonl")
	if fi, err := os.Stat(index); err != nil || !fi.Mode().IsRegular() || fi.Size() > 8<<20 {
		return ""
	}
	text, err := os.ReadFile(index)
	if err != nil {
		return ""
	}
	title := ""
	for l := range bytes.Lines(text) {
		var named struct {
			ID   string `json:"id"`
			Name string `json:"thread_name"`
		}
		if bytes.Contains(l, []byte(id)) && decode(l, &named) == nil && named.ID == id {
			title = named.Name
		}
	}
	return short(title, maxName)
}

func sorted(paths []string) []string {
	slices.SortFunc(paths, strings.Compare)
	return paths
}
