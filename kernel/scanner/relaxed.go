package scanner

// relax returns a view of the same length in which what stands around words in
// prose and markup is blank: brackets, markup signs, the punctuation that ends
// a clause, escapes, and every character that is not ASCII. Most of gitleaks'
// token rules want a blank, a quote, a semicolon or the end after a token, and
// miss "(token)", "token." and "`token`,". It returns nil if nothing changes.
func relax(v *view) *view {
	var out []byte
	blank := func(i int) {
		if out == nil {
			out = []byte(v.text)
		}
		out[i] = ' '
	}
	for i := range len(v.text) {
		switch c := v.text[i]; {
		case kinds[c]&(kindWide|kindMarkup) != 0, kinds[c]&kindStop != 0 && endsClause(v.text, i):
			blank(i)
		case c == '\\' && i+1 < len(v.text) && isEscape(v.text[i+1]):
			blank(i)
			blank(i + 1)
		}
	}
	if out == nil {
		return nil
	}
	return &view{kind: v.kind&^viewRaw | viewRelaxed, text: string(out), spans: v.spans, shift: v.shift, like: v, base: v.base, marks: v.marks, head: v.head}
}

// endsClause reports whether the stop at i ends a word: a blank, the end or
// another closing sign follows.
func endsClause(text string, i int) bool {
	i = runEnd(text, i+1, kindStop|kindMarkup|kindQuote)
	return i == len(text) || kinds[text[i]]&(kindBlank|kindWide) != 0
}

func isEscape(c byte) bool { return c == '"' || c == '\'' || c == 'n' || c == 'r' || c == 't' }
