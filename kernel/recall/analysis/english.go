package analysis

import (
	"strings"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/english"
)

const maxStemBytes = 40 // longer words are no English

// stem returns the index term of a folded word: the base of an irregular form,
// or the Snowball stem when it is of ASCII letters alone. Words of other
// languages in Latin script go the same way on both sides, which does no harm.
func stem(folded string) string {
	if len(folded) < 3 || len(folded) > maxStemBytes {
		return folded
	}
	for i := range len(folded) {
		if !isLower(rune(folded[i])) {
			return folded
		}
	}
	if base, ok := irregular[folded]; ok {
		folded = base
	}
	// Snowball leaves the plural of a word without vowels as it is: JWTs, VMs, PRs.
	if singular := strings.TrimSuffix(folded, "s"); singular != folded && len(singular) > 1 && !strings.ContainsAny(singular, "aeiouy") && !strings.HasSuffix(singular, "s") {
		return singular
	}
	env := snowballstem.NewEnv(folded)
	english.Stem(env)
	if s := env.Current(); s != "" {
		return s
	}
	return folded
}
