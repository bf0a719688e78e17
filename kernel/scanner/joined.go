package scanner

import "strings"

// join returns the view with its split words put together, or nil if it has none:
// strings concatenated in code, lines continued by a backslash,
// random words wrapped over lines, and chunks of equal length with a blank
// between them.
func join(v *view) *view {
	j := joiner{text: v.text}
	for i := 0; i < len(v.text); {
		switch c := v.text[i]; {
		case c == '"' || c == '\'':
			i = j.cut(i, concatenation(v.text, i))
		case c == '\\':
			i = j.cut(i, continuation(v.text, i))
		case c == '\n':
			i = j.cut(i, wrap(v.text, i))
		case isChunk(c) && (i == 0 || !isChunk(v.text[i-1])):
			i = j.chunks(i)
		default:
			i++
		}
	}
	if len(j.cuts) == 0 {
		return nil
	}
	b, from := newViewBuilder(v), 0
	for _, c := range j.cuts {
		b.keep(from, c.start)
		b.touch()
		from = c.end
	}
	b.keep(from, len(v.text))
	return b.view(viewJoined)
}

// joiner collects the spans to cut out of a text.
type joiner struct {
	text string
	cuts []span
}

// cut notes the bytes from i to end, if there are any, and returns where to go
// on.
func (j *joiner) cut(i, end int) int {
	if end <= i {
		return i + 1
	}
	j.cuts = append(j.cuts, span{i, end})
	return end
}

// concatenation returns where "a" + "b" goes on behind the second quote, if the
// quote at i is the first of such a pair.
func concatenation(text string, i int) int {
	if i == 0 || !isChunk(text[i-1]) {
		return 0
	}
	const gap = 48
	k, ops, lines := i+1, 0, 0
	for ; k < len(text) && k < i+gap; k++ {
		switch c := text[k]; {
		case c == '+' || c == '.' || c == '&':
			ops++
		case c == '\n':
			lines++
		case c == '\\' || isBlank(c):
		case c == text[i]:
			if k+1 < len(text) && isChunk(text[k+1]) && ops <= 2 && (ops+lines > 0 || k > i+1) {
				return k + 1
			}
			return 0
		default:
			return 0
		}
	}
	return 0
}

// continuation returns where a line that ends in a backslash at i goes on.
func continuation(text string, i int) int {
	k := nextLine(text, i+1)
	if k < 0 || k >= len(text) || i == 0 || !isChunk(text[i-1]) || !isChunk(text[k]) {
		return 0
	}
	return k
}

// wrap returns where a word that breaks at the line end i goes on, if it is one
// that nobody would write: at least twelve characters with letters and digits,
// and the next line begins with no word of a language, or there is no more in
// it.
func wrap(text string, i int) int {
	const least = 12
	k := nextLine(text, i)
	if k < 0 || k >= len(text) || !isToken(text[k]) {
		return 0
	}
	end := i
	if end > 0 && text[end-1] == '\r' {
		end--
	}
	from := end
	for from > 0 && isChunk(text[from-1]) {
		from--
	}
	to := runEnd(text, k, kindChunk)
	tail, head := text[from:end], text[k:to]
	if n := strings.LastIndexByte(tail, '='); n >= 0 && len(tail)-n > least {
		tail = tail[n+1:]
	}
	alone := to == len(text) || text[to] == '\n' || strings.IndexByte("\"'`,;)]}<", text[to]) >= 0
	if len(tail) < least || !strings.ContainsAny(tail, "0123456789") && 5*turns(tail) < len(tail) || selector.MatchString(tail) && 4*turns(tail) < len(tail) || (!isMixed(head) && !(alone && len(head) <= len(tail))) {
		return 0
	}
	if n := strings.IndexByte(strings.TrimRight(head, "="), '='); n >= 0 && 4*turns(head[:n]) < n {
		return 0 // the next line assigns something of its own
	}
	return k
}

// chunks notes the blanks in a row of chunks of one length that begins at i,
// and returns where to go on. The first chunk may have a name in front, the
// last may be short.
func (j *joiner) chunks(i int) int {
	const (
		longest = 8
		fewest  = 5
	)
	first := runEnd(j.text, i, kindChunk)
	if first >= len(j.text) || j.text[first] != ' ' && j.text[first] != '\t' {
		return first
	}
	n := runEnd(j.text, first+1, kindChunk) - first - 1
	if n < 1 || n > longest {
		return first
	}
	// The first chunk is as long as the others, behind its name.
	if l := first - i; l != n && (l < n || !nameBefore(j.text[i:first], n)) {
		return first
	}
	gap := j.text[first]
	cuts := []span{}
	end, odd, letters := first, 0, 0
	for end < len(j.text) && j.text[end] == gap {
		next := runEnd(j.text, end+1, kindChunk)
		l := next - end - 1
		if l == 0 || l > n {
			break
		}
		cuts = append(cuts, span{end, end + 1})
		chunk := j.text[end+1 : next]
		odd += count(strings.ContainsAny(chunk, "0123456789_-/+") || strings.ToLower(chunk) != chunk)
		letters += count(strings.ContainsAny(chunk, "abcdefABCDEF"))
		end = next
		if l < n {
			break
		}
	}
	// Words of a language are not of one length, and have few digits.
	if len(cuts) >= fewest && len(cuts)*n >= 16 && 3*odd >= len(cuts) && letters > 0 {
		j.cuts = append(j.cuts, cuts...)
	}
	return end
}

// nameBefore reports whether a chunk of n characters stands behind a name.
func nameBefore(s string, n int) bool {
	at := len(s) - n - 1
	return at >= 0 && strings.IndexByte("=:", s[at]) >= 0
}

func count(b bool) int {
	if b {
		return 1
	}
	return 0
}
