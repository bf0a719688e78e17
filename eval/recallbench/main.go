package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/rnixfs/rnixfs/kernel/process"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "recallbench:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	switch {
	case len(args) == 3 && args[0] == "generate":
		n, err := strconv.Atoi(args[1])
		if err != nil {
			return err
		}
		return generate(n, args[2])
	case len(args) == 4 && args[0] == "measure":
		figures, err := measure(args[1], args[2], args[3])
		if err != nil {
			return err
		}
		return json.NewEncoder(os.Stdout).Encode(figures)
	}
	return errors.New("usage: recallbench generate TURNS FILE | measure FILE DIR QUERIES")
}

const (
	vocabulary = 100_000
	perProcess = 50 // turns
)

// line is a turn in the file.
type line struct {
	Process string       `json:"process"`
	Role    process.Role `json:"role"`
	Time    time.Time    `json:"time"`
	Content string       `json:"content"`
}

func generate(n int, path string) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer f.Close()
	out := bufio.NewWriterSize(f, 1<<20)
	enc := json.NewEncoder(out)
	r := rand.New(rand.NewPCG(1, 2))
	z := rand.NewZipf(r, 1.07, 2.7, vocabulary-1)
	for i := range n {
		l := line{Process: fmt.Sprintf("process-%d", i/perProcess), Role: process.RoleUser, Content: text(r, z)}
		if i%2 == 1 {
			l.Role = process.RoleAssistant
		}
		l.Time = time.Unix(1_700_000_000+30*int64(i), 0).UTC()
		if err := enc.Encode(l); err != nil {
			return err
		}
	}
	return errors.Join(out.Flush(), f.Close())
}

// text is some sentences of about 500 bytes in all.
func text(r *rand.Rand, z *rand.Zipf) string {
	var b strings.Builder
	for size := 300 + r.IntN(400); b.Len() < size; {
		for i := range 6 + r.IntN(12) {
			w := word(z.Uint64())
			if i == 0 {
				w = strings.ToUpper(w[:1]) + w[1:]
			} else {
				b.WriteByte(' ')
			}
			b.WriteString(w)
		}
		b.WriteString(". ")
	}
	return strings.TrimSpace(b.String())
}

// word is the n-th most frequent word: a short one when n is small.
func word(n uint64) string {
	const consonants, vowels = "bcdfghklmnprstvw", "aeiou"
	var b []byte
	for n += 3; n > 0; n /= 80 {
		b = append(b, consonants[n%16], vowels[n/16%5])
	}
	return string(b)
}
