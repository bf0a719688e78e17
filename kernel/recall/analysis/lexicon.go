package analysis

import "sync"

// word is what is known of a folded word.
type word struct {
	term string
	stop bool
}

// lexicon remembers words that were looked up: stemming costs more than all
// else, and the words of a person's notes are few. It is emptied when full.
type lexicon struct {
	mu    sync.RWMutex
	words map[string]word
}

const maxLexicon = 1 << 15

var known = lexicon{words: map[string]word{}}

// lookup returns the word of the folded bytes.
func (l *lexicon) lookup(folded []byte) word {
	l.mu.RLock()
	w, ok := l.words[string(folded)] // does not allocate
	l.mu.RUnlock()
	if ok || len(folded) == 0 {
		return w
	}
	s := string(folded)
	w = word{term: stem(s), stop: isStop(s)}
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.words) >= maxLexicon {
		clear(l.words)
	}
	l.words[s] = w
	return w
}
