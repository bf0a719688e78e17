package transcript

import (
	"cmp"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/rnixfs/rnixfs/kernel/process"
)

// claudeTree is the links of a transcript, without its content. A record names
// its parent; where the user went back and said something else there are
// branches, and the conversation is the way from the newest leaf to the root.
// Some records are not on that way but belong to it: calls of tools that ran side
// by side (a message over several records, whose results each name the record of
// their call); what was before a compaction (which begins a root of its own and
// names the record before it, or, in old files, nothing) or before a record that was
// lost; and the records that hang on one of the program's own, such as a caveat,
// which follow each other in time.
type claudeTree struct {
	path    string
	nodes   []claudeNode
	index   map[string]int32 // uuid to node
	results map[string]int32 // id of a call to the node of its result
	side    bool             // the file is a sub-agent's
	proc    process.Conversation
	session string
	titles  [3]string // custom, of the model, of a summary
	titled  []string  // the leaves that summaries name, and the summaries
}

type claudeNode struct {
	off     int64
	size    int
	parent  int32 // -1: none
	logical int32
	present bool
	turns   bool // of a user or an assistant, to be shown
	compact bool // where a compaction begins
	meta    bool // of the program
	aside   bool // a sub-agent's
	time    time.Time
	message string   // of the API, which may be spread over records
	calls   []string // ids
	answers []string // ids of calls
}

func newClaudeTree(path string) *claudeTree {
	t := &claudeTree{path: path, index: map[string]int32{}, results: map[string]int32{}}
	t.side = strings.HasPrefix(filepath.Base(path), "agent-")
	return t
}

// node returns the number of a record by its uuid, which may come later.
func (t *claudeTree) node(uuid string) int32 {
	if uuid == "" {
		return -1
	}
	n, ok := t.index[uuid]
	if !ok {
		n = int32(len(t.nodes))
		t.index[uuid] = n
		t.nodes = append(t.nodes, claudeNode{parent: -1, logical: -1})
	}
	return n
}

// take notes a record. One that comes again with its uuid takes the place of the
// one before.
func (t *claudeTree) take(w *writer, l line, r *claudeRecord) {
	t.meta(r)
	turns := r.Type == "user" || r.Type == "assistant"
	if !turns && !claudeKnown[r.Type] {
		w.skipped.unknown("record", r.Type)
	}
	if r.UUID == "" {
		if !turns {
			return
		}
		r.UUID = ordinal("line", l.n)
	}
	n, parent, logical := t.node(r.UUID), t.node(r.Parent), t.node(r.Logical)
	node := claudeNode{
		off: l.off, size: len(l.text), parent: parent, logical: logical, present: true,
		turns: turns && !r.Meta || r.Type == "attachment" && r.queued(), compact: r.Compact || r.Subtype == "compact_boundary",
		meta: r.Meta, aside: r.Sidechain && !t.side, time: moment(r.Timestamp), message: r.Message.ID,
	}
	if node.aside && turns {
		w.skipped.add(skipSidechain, 1)
	}
	node.turns = node.turns && !node.aside
	if turns {
		for _, b := range blocks(r.Message.Content) {
			switch {
			case b.Type == "tool_use" && b.ID != "":
				node.calls = append(node.calls, b.ID)
			case b.Type == "tool_result" && b.ToolUseID != "":
				node.answers = append(node.answers, b.ToolUseID)
				t.results[b.ToolUseID] = n
			}
		}
	}
	if t.nodes[n].present {
		w.skipped.add(skipDuplicate, 1)
	}
	t.nodes[n] = node
}

// queued says whether the record is what the user typed while the agent worked.
func (r *claudeRecord) queued() bool {
	return r.Attachment.Type == "queued_command" && (r.Attachment.Mode == "" || r.Attachment.Mode == "prompt")
}

// meta notes what a record says of the whole conversation.
func (t *claudeTree) meta(r *claudeRecord) {
	t.session = cmp.Or(t.session, r.Session)
	switch r.Type {
	case "custom-title":
		t.titles[0] = cmp.Or(r.Custom, t.titles[0])
	case "ai-title":
		t.titles[1] = cmp.Or(r.AITitle, t.titles[1])
	case "summary":
		t.titled = append(t.titled, r.Leaf, short(r.Summary, maxName))
	}
	if r.Sidechain && !t.side {
		return
	}
	t.proc.Project = cmp.Or(t.proc.Project, folder(r.Dir))
	if r.Branch != "HEAD" { // what is written when none is checked out
		t.proc.Branch = cmp.Or(t.proc.Branch, short(r.Branch, maxName))
	}
	if model := r.Message.Model; model != "" && model != "<synthetic>" {
		t.proc.Model = short(model, maxName)
	}
}

// order returns the nodes of the conversation, and counts those that were left.
func (t *claudeTree) order(w *writer) []int32 {
	files := t.files()
	chain := t.chain(files)
	on := map[int32]bool{}
	follows := map[string]int32{} // messages and calls, by the record on the way that they belong to
	for _, n := range chain {
		on[n] = true
		t.nodes[n].belongs(follows, n)
	}
	beside := map[int32][]int32{} // records beside the way, by the one that they follow
	left := 0
	for _, n := range files { // calls before their results
		node := &t.nodes[n]
		if on[n] || !node.turns {
			continue
		}
		if anchor, ok := node.anchor(follows); ok {
			beside[anchor] = append(beside[anchor], n)
			node.belongs(follows, anchor)
		} else {
			left++
		}
	}
	if left > 0 {
		w.skipped.add(skipAbandoned, left)
	}
	var order []int32
	for _, n := range chain {
		order = append(append(order, n), beside[n]...)
	}
	return order
}

// belongs notes what other records may name of one.
func (node *claudeNode) belongs(follows map[string]int32, anchor int32) {
	if node.message != "" {
		follows[node.message] = anchor
	}
	for _, id := range node.calls {
		follows[id] = anchor
	}
}

// anchor finds the record on the way that one beside it follows.
func (node *claudeNode) anchor(follows map[string]int32) (anchor int32, ok bool) {
	for _, id := range append(node.answers, node.message) {
		if anchor, ok = follows[id]; ok {
			return anchor, true
		}
	}
	return 0, false
}

// files are the records of the conversation and its branches, by their places.
func (t *claudeTree) files() []int32 {
	var files []int32
	for n := range t.nodes {
		if t.nodes[n].present && !t.nodes[n].aside {
			files = append(files, int32(n))
		}
	}
	slices.SortFunc(files, func(a, b int32) int { return cmp.Compare(t.nodes[a].off, t.nodes[b].off) })
	return files
}

// chain is the way from the root to the newest leaf.
func (t *claudeTree) chain(files []int32) []int32 {
	eldest := map[int32]int32{} // the first record that hangs on one
	for _, n := range slices.Backward(files) {
		eldest[t.nodes[n].parent] = n
	}
	on := make([]bool, len(t.nodes))
	var chain []int32
	n := t.leaf(files)
	for n >= 0 && !on[n] {
		on[n] = true
		chain = append(chain, n)
		node := &t.nodes[n]
		p := node.parent
		switch {
		case p >= 0 && t.has(p) && (!t.nodes[p].meta || eldest[p] == n):
			n = p
		case node.logical >= 0 && t.has(node.logical):
			n = node.logical
		case p < 0 && node.logical < 0 && !node.compact:
			n = -1
		default: // what was before it in the file
			at, _ := slices.BinarySearchFunc(files, node.off, func(f int32, off int64) int { return cmp.Compare(t.nodes[f].off, off) })
			for at > 0 && on[files[at-1]] {
				at--
			}
			n = -1
			if at > 0 {
				n = files[at-1]
			}
		}
	}
	slices.Reverse(chain)
	return chain
}

// has reports whether a record that others name is there.
func (t *claudeTree) has(n int32) bool { return t.nodes[n].present && !t.nodes[n].aside }

// leaf is the newest record with turns that no other such record comes after.
func (t *claudeTree) leaf(files []int32) int32 {
	inner := make([]bool, len(t.nodes)) // has a record with turns after it
	for _, n := range files {
		if !t.nodes[n].turns {
			continue
		}
		for p := t.nodes[n].parent; p >= 0 && !inner[p]; p = t.nodes[p].parent {
			inner[p] = true
		}
	}
	best, last := int32(-1), int32(-1)
	for _, n := range files {
		if !t.nodes[n].turns {
			continue
		}
		last = n
		if !inner[n] && (best < 0 || !t.nodes[n].time.Before(t.nodes[best].time)) {
			best = n
		}
	}
	if best < 0 {
		return last // links in a circle
	}
	return best
}

var uuidName = regexp.MustCompile(`^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$`)

// process says whose conversation it is. The file's name is the session: a
// resumed one may begin with copied records of another.
func (t *claudeTree) process() process.Conversation {
	p := t.proc
	p.Agent = "claude"
	name := strings.TrimSuffix(filepath.Base(t.path), filepath.Ext(t.path))
	switch {
	case t.side:
		p.Parent = handle(t.session)
		p.External = handle(strings.TrimPrefix(p.Parent+"/"+name, "/"))
	case uuidName.MatchString(name):
		p.External = name
	default:
		p.External = cmp.Or(handle(t.session), placeName(t.path))
	}
	for pair := range slices.Chunk(t.titled, 2) { // those of other sessions name leaves that are not here
		if n, ok := t.index[pair[0]]; ok && t.nodes[n].present {
			t.titles[2] = pair[1]
		}
	}
	p.Title = short(cmp.Or(t.titles[0], t.titles[1], t.titles[2]), maxName)
	if p.Title == "" && t.side {
		p.Title = sidecarTitle(t.path)
	}
	return p
}

// sidecarTitle is what a sub-agent was started for, in the file beside its own.
func sidecarTitle(path string) string {
	var meta struct {
		Description string `json:"description"`
		AgentType   string `json:"agentType"`
	}
	_ = decode(beside(strings.TrimSuffix(path, filepath.Ext(path))+".meta.json", headSize), &meta) // else it has none
	return short(cmp.Or(meta.Description, meta.AgentType), maxName)
}
