package transcript

import (
	"cmp"
	"os"
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
// Three things are not on that way but belong to it: calls of tools that ran side
// by side (a message over several records, whose results each name the record of
// their call), what was before a compaction (which begins a root of its own and
// names the record before it, or, in old files, nothing), and what was before a
// record that was lost.
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
		aside: r.Sidechain && !t.side, time: moment(r.Timestamp), message: r.Message.ID,
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
	chain := t.chain()
	on := map[int32]bool{}
	anchors := map[string]int32{} // a message to its last record on the way
	for _, n := range chain {
		on[n] = true
		if m := t.nodes[n].message; m != "" {
			anchors[m] = n
		}
	}
	extra := map[int32][]int32{} // records beside the way, by the one that they follow
	asked := map[string]int32{}  // calls, by the record on the way that they belong to
	for n := range t.nodes {
		node := &t.nodes[n]
		anchor, same := anchors[node.message]
		if on[int32(n)] {
			anchor = int32(n)
		} else if !same || !node.turns {
			continue
		} else {
			extra[anchor] = append(extra[anchor], int32(n))
			on[int32(n)] = true
		}
		for _, id := range node.calls {
			asked[id] = anchor
		}
	}
	left := 0
	for n := range t.nodes {
		node := &t.nodes[n]
		if on[int32(n)] || !node.turns {
			continue
		}
		if anchor, ok := answered(node, asked); ok {
			extra[anchor] = append(extra[anchor], int32(n))
		} else {
			left++
		}
	}
	if left > 0 {
		w.skipped.add(skipAbandoned, left)
	}
	var order []int32
	for _, n := range chain {
		order = append(order, n)
		more := extra[n]
		slices.SortFunc(more, func(a, b int32) int { return cmp.Compare(t.nodes[a].off, t.nodes[b].off) })
		order = append(order, more...)
	}
	return order
}

// answered finds the call that a record beside the way has the result of.
func answered(node *claudeNode, asked map[string]int32) (anchor int32, ok bool) {
	for _, id := range node.answers {
		if anchor, ok = asked[id]; ok {
			return anchor, true
		}
	}
	return 0, false
}

// chain is the way from the root to the newest leaf.
func (t *claudeTree) chain() []int32 {
	var files []int32 // the nodes by their place in the file
	for n := range t.nodes {
		if t.nodes[n].present && !t.nodes[n].aside {
			files = append(files, int32(n))
		}
	}
	slices.SortFunc(files, func(a, b int32) int { return cmp.Compare(t.nodes[a].off, t.nodes[b].off) })
	on := make([]bool, len(t.nodes))
	var chain []int32
	for n := t.leaf(files); n >= 0 && !on[n]; n = t.before(n, files, on) {
		on[n] = true
		chain = append(chain, n)
	}
	slices.Reverse(chain)
	return chain
}

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

// before is the record that comes before one in the conversation, or -1.
func (t *claudeTree) before(n int32, files []int32, on []bool) int32 {
	node := &t.nodes[n]
	for _, p := range []int32{node.parent, node.logical} {
		if p >= 0 && t.nodes[p].present && !t.nodes[p].aside {
			return p
		}
	}
	if node.parent < 0 && node.logical < 0 && !node.compact {
		return -1
	}
	at, _ := slices.BinarySearchFunc(files, node.off, func(f int32, off int64) int { return cmp.Compare(t.nodes[f].off, off) })
	for at--; at >= 0; at-- {
		if !on[files[at]] {
			return files[at]
		}
	}
	return -1
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
	path = strings.TrimSuffix(path, filepath.Ext(path)) + ".meta.json"
	if fi, err := os.Stat(path); err != nil || !fi.Mode().IsRegular() || fi.Size() > headSize {
		return ""
	}
	text, err := os.ReadFile(path)
	if err != nil || decode(text, &meta) != nil {
		return ""
	}
	return short(cmp.Or(meta.Description, meta.AgentType), maxName)
}
