package memory

import (
	"cmp"
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Policy is a row of the table of scopes.
type Policy struct {
	Runes    int           // most runes of content
	Entries  int           // most entries; 0: any number
	Overflow Overflow      // what happens to an entry that does not fit
	Lifetime time.Duration // of an entry that names none; 0: for ever
	Text     Form          // of a text whose category says none; "": FormAny
	Then     Then          // what becomes of an entry that has expired; "": ThenRemove
	Recall   bool          // whether searches find it
	Keep     Keep          // where it is kept
	Owner    Owner         // whose it is
	Score    Score         // what is worth keeping
	ReadOnly bool          // switched off in memory.yaml: nothing is written
	As       Scope         // the row is another name of this scope, and says nothing else
}

// Limit is the bound that the policy sets.
func (p Policy) Limit() Limit {
	return Limit{Runes: p.Runes, Entries: p.Entries, Overflow: p.Overflow, Score: p.Score, Lifetimes: Lifetimes{Lifetime: p.Lifetime, Then: p.Then}}
}

// KeptAs reports whether an open scope of policy p is kept and found as q says.
func (p Policy) KeptAs(q Policy) bool {
	return p.Keep == q.Keep && p.Owner == q.Owner && p.Recall == q.Recall
}

// Keep says where a scope's entries are kept.
type Keep string

// The places.
const (
	KeepFiles Keep = "files" // a folder of Markdown files
	KeepRAM   Keep = "ram"   // nowhere: they end with this process, or with their owner
)

// Owner is the kind of owner that a scope has.
type Owner string

// The kinds of owners.
const (
	OwnerProject Owner = "project" // the project of the caller's working directory
	OwnerUser    Owner = "user"
	OwnerSession Owner = "session" // of a tree s/<id>/, or of the operating system
	OwnerAgent   Owner = "agent"   // the agent that the request names, or the caller's program
)

// Policies is the table of scopes.
type Policies map[Scope]Policy

// DefaultPolicies returns the rows that are built in.
func DefaultPolicies() Policies {
	row := func(owner Owner, runes int) Policy {
		return Policy{Owner: owner, Runes: runes, Overflow: OverflowError, Keep: KeepFiles, Recall: true, Score: DefaultScore}
	}
	table := Policies{
		ScopeProject: row(OwnerProject, 50000),
		ScopeGlobal:  row(OwnerUser, 50000),
		ScopeUser:    row(OwnerUser, 10000),
		ScopeSession: row(OwnerSession, 50000),
		ScopeAgent:   row(OwnerAgent, 20000),
	}
	user, session := table[ScopeUser], table[ScopeSession]
	user.Recall = false
	session.Keep, session.Entries, session.Overflow, session.Lifetime = KeepRAM, 50, OverflowFIFO, 14*24*time.Hour
	table[ScopeUser], table[ScopeSession] = user, session
	return table
}

// Named returns the scope that a name means, which may be another name of it.
func (t Policies) Named(name Scope) Scope { return cmp.Or(t[name].As, name) }

// Scopes returns the names of the scopes: those that are built in first.
func (t Policies) Scopes() []Scope {
	order := []Scope{ScopeProject, ScopeGlobal, ScopeUser, ScopeSession, ScopeAgent}
	added := len(order)
	for s := range t {
		if !slices.Contains(order[:added], s) {
			order = append(order, s)
		}
	}
	slices.Sort(order[added:])
	return slices.DeleteFunc(order, func(s Scope) bool { p, ok := t[s]; return !ok || p.As != "" })
}

// Score weighs what an entry is worth: for eviction, search and the context.
type Score struct {
	Importance float64
	Recency    float64
	DecayDays  float64 // after so many days, recency is worth 1/e
}

// DefaultScore is what holds where memory.yaml says nothing.
var DefaultScore = Score{Importance: 0.7, Recency: 0.3, DecayDays: 30}

// Relevance is how much an entry is worth at the time now, 0 to 1. An entry from
// the future is as good as new.
func (s Score) Relevance(e *Entry, now time.Time) float64 {
	if s == (Score{}) {
		s = DefaultScore
	}
	at := e.Updated
	if at.IsZero() {
		at = e.Created
	}
	days := max(now.Sub(at).Hours()/24, 0)
	importance := min(max(e.Importance, 0), 1)
	return s.Importance*importance + s.Recency*math.Exp(-days/s.DecayDays)
}

// ParseTTL reads a lifetime: a Go duration, or whole days as "30d", a hundred years of
// them at most.
func ParseTTL(s string) (time.Duration, error) {
	if days, ok := strings.CutSuffix(s, "d"); ok {
		n, err := strconv.Atoi(days)
		if err != nil || n > 36500 {
			return 0, errors.New("not a number of days")
		}
		return time.Duration(n) * 24 * time.Hour, nil
	}
	d, err := time.ParseDuration(s)
	if err != nil {
		return 0, errors.New("not a duration")
	}
	return d, nil
}

// ParseTime reads the time in a field of a request; zero, where that is empty.
func ParseTime(op, field, s string) (t time.Time, err error) {
	if s == "" {
		return t, nil
	}
	if t, err = time.Parse(time.RFC3339, s); err != nil {
		err = Errorf(KindInvalid, op, `%s must be a time such as "2027-01-31T00:00:00Z"`, field)
	}
	return t, err
}
