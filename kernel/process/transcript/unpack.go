package transcript

import (
	"bytes"
	"errors"
	"io"
	"os"

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

func unpack(r io.Reader) (*zstd.Decoder, error) {
	d, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(maxWindow))
	if err != nil {
		return nil, memory.Errorf(memory.KindInternal, opRead, "%w", err)
	}
	return d, nil
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
	defer d.Close()
	out := make([]byte, headSize)
	n, _ := io.ReadFull(d, out) // the head ends within a frame
	return out[:n]
}

// unpacked is a reader of a file that may be compressed, to be released by done. It
// ends where the file is damaged, or unpacks to too much, which done counts.
func unpacked(file *os.File, w *writer) (r io.Reader, done func(), err error) {
	magic := make([]byte, len(zstdMagic))
	if _, err := file.ReadAt(magic, 0); err != nil || !bytes.Equal(magic, zstdMagic) {
		return file, func() {}, nil
	}
	d, err := unpack(file)
	if err != nil {
		return nil, nil, err
	}
	b := &bounded{r: d, left: maxUnpacked}
	return b, func() {
		d.Close()
		if b.ended != "" {
			w.skipped.add(b.ended, 1)
		}
	}, nil
}

// bounded ends like a file at a limit, and where its reader fails.
type bounded struct {
	r     io.Reader
	left  int64
	ended string // why it ended early, as a kind of Skip
}

func (b *bounded) Read(p []byte) (int, error) {
	if b.left <= 0 {
		b.ended = skipTooBig
		return 0, io.EOF
	}
	n, err := b.r.Read(p[:min(int64(len(p)), b.left)])
	b.left -= int64(n)
	if err != nil && !errors.Is(err, io.EOF) {
		b.ended, err = "damaged", io.EOF
	}
	return n, err
}
