package memory

import "unicode/utf8"

// Tokens estimates how many tokens of a language model a text has, rather too many
// than too few: four characters of ASCII are about one, and so is each other character.
func Tokens(text string) int {
	ascii, other := 0, 0
	for _, r := range text {
		if r < utf8.RuneSelf {
			ascii++
		} else {
			other++
		}
	}
	return (ascii+3)/4 + other
}
