package rnixfs_test

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// layers says what of ours the packages below a folder may import in code that
// is not a test. The longest folder counts. "x" allows x alone, "x/..." also
// what is below it. A package may always import those below its own folder of
// this table.
var layers = map[string][]string{
	".":                          {},
	"kernel/memory":              {},
	"kernel/memory/store":        {"kernel/memory"},
	"kernel/memory/ram":          {"kernel/memory"},
	"kernel/memory/exchange":     {"kernel/memory", "kernel/memory/store", "kernel/sqlite", "kernel/yamldoc"},
	"kernel/memory/file":         {"kernel/memory", "kernel/durable", "kernel/yamldoc", "kernel/watch"},
	"kernel/memory/postgres":     {"kernel/memory"},
	"kernel/memory/providertest": {"kernel/memory"},
	"kernel/durable":             {},
	"kernel/yamldoc":             {},
	"kernel/watch":               {},
	"kernel/tool":                {"kernel/memory"},
	"kernel/config":              {"kernel/memory", "kernel/tool", "kernel/yamldoc", "kernel/watch"},
	"kernel/scanner":             {},
	"kernel/gate":                {"kernel/memory", "kernel/scanner", "kernel/config"},
	"kernel/sqlite":              {"kernel/memory"},
	"kernel/process":             {"kernel/memory", "kernel/durable"},
	"kernel/process/transcript":  {"kernel/memory", "kernel/process", "kernel/sqlite"},
	"kernel/process/importer":    {"kernel/memory", "kernel/durable", "kernel/process", "kernel/process/transcript"},
	"kernel/recall":              {"kernel/memory", "kernel/durable", "kernel/process", "kernel/recall/..."},
	"kernel/recall/postings":     {"kernel/durable"},
	"kernel/recall/meaning":      {"kernel/memory", "kernel/durable"},
	"kernel/recall/analysis":     {},
	"kernel/knowledge":           {"kernel/memory", "kernel/config", "kernel/process", "kernel/recall"},
	"kernel/writeback":           {"kernel/memory", "kernel/memory/store", "kernel/durable", "kernel/process", "kernel/recall/..."},
	"kernel/agents":              {"kernel/memory", "kernel/durable"},
	"kernel/vfs":                 {"kernel/memory", "kernel/memory/store", "kernel/process", "kernel/recall", "kernel/knowledge", "kernel/writeback"},
	"kernel/vfs/vfstest":         {},
	"kernel/vfs/attest":          {"kernel/memory"},
	"kernel/vfs/fuse":            {"kernel/memory", "kernel/vfs", "kernel/vfs/attest"},
	"kernel/vfs/mcp":             {"kernel/memory", "kernel/tool", "kernel/vfs"},
	"kernel/vfs/rpc":             {"kernel/memory", "kernel/tool", "kernel/vfs"},
	"cmd":                        {"kernel/..."},
	"eval":                       {"kernel/..."},
}

// owners says which folder alone may import a library, tests included. Below eval
// a library is measured beside the program, so those packages import what they
// compare with.
var owners = map[string]string{
	"github.com/hanwen/go-fuse":       "kernel/vfs/fuse",
	"github.com/zricethezav/gitleaks": "kernel/scanner",
	"github.com/BobuSumisu":           "kernel/scanner",
	"github.com/blevesearch":          "kernel/recall",
	"github.com/ncruces/go-sqlite3":   "kernel/sqlite",
	"github.com/RoaringBitmap":        "kernel/recall/postings",
	"github.com/klauspost/compress":   "kernel/process/transcript",
	"gopkg.in/yaml.v3":                "kernel/yamldoc",
	"github.com/tailscale/hujson":     "kernel/agents",
	"github.com/pmezard/go-difflib":   "kernel/agents",
	"github.com/fsnotify/fsnotify":    "kernel/watch",
	"github.com/spf13/cobra":          "cmd",
	"github.com/spf13/pflag":          "cmd",
	"github.com/jackc/pgx":            "kernel/memory/postgres",
	"github.com/modelcontextprotocol": "kernel/vfs/mcp",
	"connectrpc.com":                  "kernel/vfs/rpc",
	"google.golang.org/grpc":          "kernel/vfs/rpc",
	"google.golang.org/protobuf":      "kernel/vfs/rpc",
	"github.com/bufbuild":             "kernel/vfs/rpc",
	"github.com/rogpeppe/go-internal": "cmd",
	"github.com/prometheus":           "cmd",
}

// suites are run by the tests of several packages.
var suites = []string{"kernel/memory/providertest", "kernel/vfs/vfstest", "kernel/vfs/rpc/rpctest"}

// testOnly are libraries that no shipped code may import, but in the suites.
var testOnly = []string{"pgregory.net/rapid", "github.com/google/go-cmp", "go.uber.org/goleak", "testing", "google.golang.org/grpc", "github.com/bufbuild", "github.com/prometheus"}

// standardOnly are folders whose shipped code imports the standard library
// alone, besides what layers allows.
var standardOnly = []string{"kernel/memory", "kernel/memory/store", "kernel/config", "kernel/tool", "kernel/memory/ram"}

// What a reader can hold in the head.
const (
	maxLines    = 600 // of a file, tests included
	maxFunction = 80  // lines
	maxMethods  = 40  // of a type
	maxFields   = 20  // of a struct
)

func TestImports(t *testing.T)  { each(t, importFaults) }
func TestComments(t *testing.T) { each(t, commentFaults) }
func TestLengths(t *testing.T)  { each(t, lengthFaults) }

func TestFunctions(t *testing.T) { each(t, functionFaults) }

func TestSystems(t *testing.T) { each(t, systemFaults) }

func TestTypes(t *testing.T) { report(t, typeFaults(sources(t))) }

func TestPackageComments(t *testing.T) {
	report(t, packageFaults(sources(t)))
}

func each(t *testing.T, faults func(source) []string) {
	t.Helper()
	for _, s := range sources(t) {
		report(t, faults(s))
	}
}

func report(t *testing.T, faults []string) {
	t.Helper()
	for _, f := range faults {
		t.Error(f)
	}
}

// systems are the memory systems whose ways are rows of tables.
var systems = regexp.MustCompile(`(?i)\b(infraware|a3s|aios|cao)\b`)

// systemFaults finds code that knows of such a system, but for what takes in its files.
func systemFaults(s source) []string {
	if s.test || s.dir() == "kernel/memory/exchange" || !systems.Match(s.text) {
		return nil
	}
	return []string{s.path + " names another memory system"}
}

// layerOf returns the folder of layers that a package belongs to, or "".
func layerOf(dir string) string {
	best := ""
	for folder := range layers {
		if (folder == dir || below(dir, folder)) && len(folder) > len(best) {
			best = folder
		}
	}
	return best
}

func importFaults(s source) []string {
	var faults []string
	for _, path := range s.imports() {
		if why := forbidden(s, path); why != "" {
			faults = append(faults, s.path+" imports "+path+": "+why)
		}
	}
	if layerOf(s.dir()) == "" {
		faults = append(faults, s.path+": the package is in no layer; add it to layers")
	}
	return faults
}

// forbidden says why a file may not import a package, or nothing.
func forbidden(s source, path string) string {
	if of, ours := strings.CutPrefix(path, module+"/"); ours {
		return forbiddenOurs(s, of)
	}
	for library, owner := range owners {
		if (path == library || below(path, library)) && s.dir() != owner && !below(s.dir(), owner) && !below(s.dir(), "eval") {
			return "only " + owner + " may"
		}
	}
	if s.test || slices.Contains(suites, s.dir()) {
		return ""
	}
	if slices.ContainsFunc(testOnly, func(lib string) bool { return path == lib || below(path, lib) }) {
		return "only tests may"
	}
	if slices.Contains(standardOnly, s.dir()) && strings.Contains(strings.SplitN(path, "/", 2)[0], ".") {
		return "it has the standard library alone"
	}
	return ""
}

func forbiddenOurs(s source, of string) string {
	layer := layerOf(s.dir())
	if s.test || (of == layer || below(of, layer)) && layerOf(of) == layer {
		return ""
	}
	for _, allowed := range layers[layer] {
		if tree, all := strings.CutSuffix(allowed, "/..."); of == allowed || all && (of == tree || below(of, tree)) {
			return ""
		}
	}
	if layer == "cmd" && below(of, "cmd") {
		return ""
	}
	return "its layer is " + cmp.Or(layer, "none") + ", which may not"
}

func below(path, folder string) bool {
	return strings.HasPrefix(path, folder+"/")
}
