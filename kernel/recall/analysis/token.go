package analysis

// MaxTermBytes bounds a term. A longer word is cut there: no query has it.
const MaxTermBytes = 96

// Kind says what a token is to its text.
type Kind uint8

// The kinds of tokens.
const (
	// Word is a word of the text, or a part of a compound, or a pair of
	// characters. Words alone make a text's length.
	Word Kind = iota
	// Whole is a compound as one term, beside the words it is made of.
	Whole
	// Extra is a further way to find a word: a single character of a pair, the
	// beginning of a version. Queries leave these out.
	Extra
)

// Token is one term at one place of a text.
type Token struct {
	Term       string
	Kind       Kind
	Stop       bool // a function word, worth asking for only when there is nothing else
	Pos        int  // number of the word in its text, from 0
	Span       int  // how many words it covers: 1, or more for a Whole
	Start, End int  // byte offsets in the text
}

// Analyze returns the tokens of text in order of their words.
func Analyze(text string) []Token {
	s := scanner{glyphs: glyphs(text)}
	s.run()
	return s.tokens
}
