package config

import (
	"io/fs"
	"syscall"
	"testing"
	"time"
)

// owned is a file of a user's.
type owned struct {
	uid  uint32
	mode fs.FileMode
}

func (o owned) Name() string       { return fileName }
func (o owned) Size() int64        { return 0 }
func (o owned) Mode() fs.FileMode  { return o.mode }
func (o owned) ModTime() time.Time { return time.Time{} }
func (o owned) IsDir() bool        { return false }
func (o owned) Sys() any           { return &syscall.Stat_t{Uid: o.uid} }

func TestTrusted(t *testing.T) {
	for _, tc := range []struct {
		file owned
		uid  int
		want bool
	}{
		{owned{1000, 0o644}, 1000, true},
		{owned{1000, 0o664}, 1000, true},
		{owned{0, 0o644}, 1000, true},
		{owned{1001, 0o644}, 1000, false},
		{owned{1000, 0o644}, 0, false},
		{owned{1000, 0o646}, 1000, false},
	} {
		if got := trusted(tc.file, tc.uid); got != tc.want {
			t.Errorf("%+v for uid %d: got %v", tc.file, tc.uid, got)
		}
	}
}
