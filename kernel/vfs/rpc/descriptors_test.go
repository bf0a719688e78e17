package rpc

import (
	"bytes"
	"context"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/bufbuild/protocompile"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/types/descriptorpb"
)

var update = flag.Bool("update", false, "write what is tested")

// TestDescriptors: what is served is what the files of proto/ say.
func TestDescriptors(t *testing.T) {
	files, err := filepath.Glob("proto/*.proto")
	if err != nil || len(files) == 0 {
		t.Fatal(err, files)
	}
	for i := range files {
		files[i] = filepath.Base(files[i])
	}
	compiler := protocompile.Compiler{Resolver: &protocompile.SourceResolver{ImportPaths: []string{"proto"}}}
	compiled, err := compiler.Compile(context.Background(), files...)
	if err != nil {
		t.Fatal(err)
	}
	var set descriptorpb.FileDescriptorSet
	for _, f := range compiled {
		set.File = append(set.File, protodesc.ToFileDescriptorProto(f))
	}
	want, err := proto.MarshalOptions{Deterministic: true}.Marshal(&set)
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile("proto/services.binpb", want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := os.ReadFile("proto/services.binpb"); err != nil || !bytes.Equal(got, want) {
		t.Fatalf("proto/services.binpb is not what the files say: go generate ./kernel/vfs/rpc (%v)", err)
	}
}
