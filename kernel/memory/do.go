package memory

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Do runs one request on one scope for the caller. The reply is complete in
// either case; the error, an *Error, says whether and how it failed. What a
// changing request did is durable and recallable when Do returns nil.
func (s *Store) Do(ctx context.Context, caller Caller, id ScopeID, req Request) (Reply, error) {
	reply := Reply{Target: id.Scope}
	err := s.do(ctx, caller, id, req, &reply)
	if reply.Limit == 0 {
		s.measure(ctx, id, &reply)
	}
	if err != nil {
		reply.fail(err)
		return reply, err
	}
	reply.OK = true
	return reply, nil
}

// measure fills in the numbers of a reply whose request did not.
func (s *Store) measure(ctx context.Context, id ScopeID, reply *Reply) {
	used := 0
	if p, err := s.Provider(ctx, id); err == nil {
		if v, err := p.Load(ctx); err == nil {
			used = v.Used
		}
	}
	reply.numbers(used, s.Limit(id.Scope).Runes)
}

func (s *Store) do(ctx context.Context, caller Caller, id ScopeID, req Request, reply *Reply) error {
	if err := req.checkFields(); err != nil {
		return err
	}
	switch req.Action {
	case actionSnapshot, actionCapacity, actionGet, actionList:
		return s.read(ctx, id, req, reply)
	case actionHistory:
		return s.history(ctx, id, req, reply)
	}
	if set := s.opts.Settings(); !set.Enabled || (id.Scope == ScopeUser && !set.ProfileEnabled) {
		return Errorf(KindReadOnly, req.Action, "memory is switched off in memory.yaml (enabled, user_profile.enabled)")
	}
	return s.change(ctx, caller, id, req, reply)
}

func (s *Store) read(ctx context.Context, id ScopeID, req Request, reply *Reply) error {
	p, err := s.Provider(ctx, id)
	if err != nil {
		return err
	}
	v, err := p.Load(ctx)
	if err != nil {
		return err
	}
	reply.numbers(v.Used, s.Limit(id.Scope).Runes)
	switch req.Action {
	case actionSnapshot:
		texts := make([]string, len(v.Entries))
		for i, e := range v.Entries {
			texts[i] = e.Content
		}
		snapshot := strings.Join(texts, "\n")
		reply.Snapshot = &snapshot
	case actionGet:
		m, err := req.match()
		if err != nil {
			return err
		}
		if m.Withhold, err = s.secretMatch(ctx, m); err != nil {
			return err
		}
		e, err := FindIn(v.Entries, m)
		if err != nil {
			return err
		}
		reply.Entry, reply.ID, reply.Key, reply.Revision = e, e.ID, e.Key, e.Revision
	case actionList:
		list(v.Entries, req, reply)
	}
	return nil
}

// FindIn returns the one entry that m names.
func FindIn(entries []*Entry, m Match) (*Entry, error) {
	var same []*Entry
	for _, e := range entries {
		switch {
		case m.ID != "" && e.ID == m.ID, m.ID == "" && m.Key != "" && e.Key == m.Key:
			return e, nil
		case m.ID == "" && m.Key == "" && e.Content == m.Content:
			same = append(same, e)
		}
	}
	switch len(same) {
	case 0:
		return nil, NotFound(actionGet, m)
	case 1:
		return same[0], nil
	}
	return nil, Ambiguous(actionGet, same)
}

func list(entries []*Entry, req Request, reply *Reply) {
	out := []*Entry{}
	for _, e := range entries {
		if (req.Category == nil || e.Category == *req.Category) && (req.Type == nil || e.Type == *req.Type) && hasTags(e, req.Tags) {
			out = append(out, e)
		}
	}
	n := len(out)
	if req.MaxResults > 0 && n > req.MaxResults {
		out = out[n-req.MaxResults:] // the newest
	}
	reply.Entries, reply.Count = &out, &n
}

func hasTags(e *Entry, tags *[]string) bool {
	return tags == nil || !slices.ContainsFunc(*tags, func(t string) bool { return !slices.Contains(e.Tags, t) })
}

func (s *Store) history(ctx context.Context, id ScopeID, req Request, reply *Reply) error {
	m, err := req.match()
	if err != nil {
		return err
	}
	if m.Withhold, err = s.secretMatch(ctx, m); err != nil {
		return err
	}
	p, err := s.Provider(ctx, id)
	if err != nil {
		return err
	}
	recs, err := p.History(ctx, m)
	if err != nil {
		return err
	}
	n := len(recs)
	if req.MaxResults > 0 && n > req.MaxResults {
		recs = recs[n-req.MaxResults:]
	}
	reply.History, reply.Count = &recs, &n
	if n > 0 {
		reply.ID = recs[len(recs)-1].ID
	}
	return nil
}

func (s *Store) change(ctx context.Context, caller Caller, id ScopeID, req Request, reply *Reply) error {
	ch := Change{
		Limit: s.Limit(id.Scope), Actor: caller.Source(), At: s.opts.Now().UTC(),
		IdempotencyKey: req.IdempotencyKey,
	}
	if len(req.IdempotencyKey) > maxIdempotency || strings.ContainsFunc(req.IdempotencyKey, func(r rune) bool { return r < ' ' }) {
		return Errorf(KindInvalid, req.Action, "idempotency_key: at most %d bytes, no control characters", maxIdempotency)
	}
	fields, err := s.decode(&ch, req)
	if err != nil {
		return err
	}
	if err := s.scan(ctx, req.Action, fields); err != nil {
		return err
	}
	if ch.IdempotencyKey != "" {
		ch.Digest = digest(req)
	}
	p, err := s.Provider(ctx, id)
	if err != nil {
		return err
	}
	for i := range ch.Ops {
		if err := s.prepare(ctx, p, &ch.Ops[i], requestOf(req, i)); err != nil {
			return err
		}
	}
	res, err := p.Apply(ctx, ch)
	if err != nil {
		return err
	}
	reply.numbers(res.Used, ch.Limit.Runes)
	describe(reply, req, id.Scope, res)
	return nil
}

// decode fills ch.Ops from the request and returns the texts to scan.
func (s *Store) decode(ch *Change, req Request) ([]Field, error) {
	var fields []Field
	if req.IdempotencyKey != "" { // it is kept in the journal
		fields = append(fields, Field{"idempotency_key", req.IdempotencyKey})
	}
	if req.Action != actionBatch {
		op, err := req.op(ch.At)
		if err != nil {
			return nil, err
		}
		ch.Ops = []Op{op}
		return append(fields, entryFields("", &op.Entry)...), nil
	}
	if len(req.Ops) == 0 || len(req.Ops) > maxOps {
		return nil, Errorf(KindInvalid, req.Action, "ops: a batch has 1 to %d operations", maxOps)
	}
	for i, r := range req.Ops {
		at := "ops[" + strconv.Itoa(i) + "]"
		if r.Target != "" || r.Project != "" || r.IdempotencyKey != "" {
			return nil, Errorf(KindInvalid, req.Action, "%s: target, project and idempotency_key belong to the batch", at)
		}
		if err := r.checkFields(); err != nil {
			return nil, Errorf(KindOf(err), req.Action, "%s: %s", at, ReasonOf(err))
		}
		op, err := r.op(ch.At)
		if err != nil {
			return nil, Errorf(KindOf(err), req.Action, "%s: %s", at, ReasonOf(err))
		}
		ch.Ops = append(ch.Ops, op)
		fields = append(fields, entryFields(at+".", &op.Entry)...)
	}
	return fields, nil
}

func requestOf(req Request, i int) Request {
	if req.Action == actionBatch {
		return req.Ops[i]
	}
	return req
}

// prepare gives an operation what the state alone doesn't have: a new id, the
// earlier text to restore, whether its match may be quoted.
func (s *Store) prepare(ctx context.Context, p Provider, op *Op, req Request) error {
	var err error
	switch op.Action {
	case ActionAdd:
		op.Entry.ID = s.opts.NewID()
	case ActionReplace, ActionRemove:
		op.Match.Withhold, err = s.secretMatch(ctx, op.Match)
	case ActionRestore:
		err = s.prepareRestore(ctx, p, op, req.Revision)
	}
	return err
}

// prepareRestore finds the state to go back to: the named revision, or the one
// before the entry's last change. It is scanned again, for the rules may have
// grown since.
func (s *Store) prepareRestore(ctx context.Context, p Provider, op *Op, revision int64) error {
	recs, err := p.History(ctx, op.Match)
	if err != nil {
		return err
	}
	var past *Entry
	var last int64
	for _, r := range recs {
		for _, e := range []*Entry{r.Before, r.After} {
			if e != nil {
				last = max(last, e.Revision)
				if revision != 0 && e.Revision == revision {
					past = e
				}
			}
		}
	}
	if revision == 0 && len(recs) > 0 {
		past = recs[len(recs)-1].Before
	}
	if past == nil {
		if revision == 0 {
			return Errorf(KindNotFound, "restore", "the entry has no earlier state")
		}
		return Errorf(KindNotFound, "restore", "the entry has no revision %d; action history shows them", revision)
	}
	op.Entry = *past.Clone()
	op.Entry.Revision = last
	return s.scan(ctx, "restore", entryFields("", past))
}

// secretMatch reports whether the text that a request looks for must not be
// quoted in an error. It need not be clean: removing a secret always works.
func (s *Store) secretMatch(ctx context.Context, m Match) (bool, error) {
	if m.Content == "" {
		return false, nil
	}
	found, err := s.opts.Scanner.Scan(ctx, []Field{{"old", m.Content}})
	return len(found) > 0 || err != nil, nil
}

// describe says what a change did, in the words of the reference system.
func describe(reply *Reply, req Request, scope Scope, res Result) {
	reply.Replayed = res.Replayed
	var own []Step
	for _, st := range res.Steps {
		switch st.Action {
		case ActionEvict:
			reply.Evicted = append(reply.Evicted, st.Before.ID)
		case ActionExpire:
		default:
			own = append(own, st)
		}
	}
	for _, st := range own {
		e := cmp.Or(st.After, st.Before)
		reply.Results = append(reply.Results, Applied{st.Action, e.ID, e.Key, e.Revision})
	}
	if req.Action == actionBatch {
		reply.Message = "batch of " + strconv.Itoa(len(own)) + " applied to " + string(scope)
		return
	}
	if len(reply.Results) == 1 {
		a := reply.Results[0]
		reply.ID, reply.Key, reply.Revision, reply.Results = a.ID, a.Key, a.Revision, nil
		reply.Duplicate = own[0].Duplicate
	}
	reply.Message = message(Action(req.Action), scope)
}

func message(a Action, scope Scope) string {
	verb := map[Action][2]string{
		ActionAdd:     {"added", "to"},
		ActionReplace: {"replaced", "in"},
		ActionRemove:  {"removed", "from"},
		ActionRestore: {"restored", "in"},
	}[a]
	if scope == ScopeUser {
		return "user profile entry " + verb[0]
	}
	return "entry " + verb[0] + " " + verb[1] + " " + string(scope)
}

// entryFields are the texts of an entry, to be scanned: all that is stored.
func entryFields(prefix string, e *Entry) []Field {
	var fs []Field
	add := func(name, text string) {
		if text != "" {
			fs = append(fs, Field{prefix + name, text})
		}
	}
	add("content", e.Content)
	add("key", e.Key)
	add("category", e.Category)
	add("type", e.Type)
	for _, t := range e.Tags {
		add("tags", t)
	}
	valueFields(prefix+"metadata", e.Metadata, &fs)
	valueFields(prefix+"extra", e.Extra, &fs)
	return fs
}

// valueFields flattens JSON values to named texts, names included: a map's key
// is text that is stored, too.
func valueFields(name string, v any, fs *[]Field) {
	switch v := v.(type) {
	case string:
		*fs = append(*fs, Field{name, v})
	case map[string]any:
		for _, k := range slices.Sorted(maps.Keys(v)) {
			if _, text := v[k].(string); !text {
				*fs = append(*fs, Field{name, k})
			}
			valueFields(name+"."+k, v[k], fs)
		}
	case []any:
		for _, x := range v {
			valueFields(name, x, fs)
		}
	case []string:
		for _, x := range v {
			*fs = append(*fs, Field{name, x})
		}
	}
}

// digest identifies a request for its idempotency key.
func digest(req Request) string {
	raw, err := json.Marshal(req)
	if err != nil {
		return ""
	}
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:16])
}
