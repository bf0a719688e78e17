package recall

import (
	"hash/crc32"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rnixfs/rnixfs/kernel/recall/analysis"
	"github.com/rnixfs/rnixfs/kernel/recall/postings"
)

// The fields of a turn's passage. Who speaks decides the field of the text, so
// that the postings tell the roles apart and no row has to be read for it.
const (
	turnUser = iota
	turnAssistant
	turnOther // tools and notes of the agent's program
	turnSpeaker
	turnFieldCount
)

var turnFields = [turnFieldCount]string{"user", "assistant", "other", "speaker"}

// turnFingerprint changes with whatever changes what is indexed.
const turnFingerprint = "turns 1"

// maxTurnBytes bounds what is indexed of one turn: the output of a tool may be a
// whole log file.
const maxTurnBytes = 256 << 10

// textFieldOf is the field of the text of a role, by the role's number.
var textFieldOf = [...]int{turnUser, turnAssistant, turnOther, turnOther}

// turnPassage is a passage on the way to the index.
type turnPassage struct {
	row     turnRow
	words   int
	text    []postings.Term
	speaker []postings.Term
}

// turnPassages cuts a turn. Nothing comes of one without words.
func turnPassages(t *StoredTurn) []turnPassage {
	text := t.Content
	if len(text) > maxTurnBytes {
		text = text[:alignBack(text, maxTurnBytes)]
	}
	base := turnRow{turn: uint32(t.Number), offset: t.Offset, time: rowTime(t.Time), role: roleNumber(t.Role)}
	tokens := analysis.Analyze(text)
	name := speakerEnd(text)
	base.speaker = speakerNumber(text[:name])
	var out []turnPassage
	start := 0
	for _, cut := range append(cuts(text, tokens), len(tokens)) {
		p := turnPassage{row: base}
		p.row.start = 0
		if n := len(out); n > 0 {
			p.row.start = out[n-1].row.start + out[n-1].row.length
		}
		end := len(text)
		if cut < len(tokens) {
			end = tokens[cut].Start
		}
		p.row.length = uint32(end) - p.row.start
		p.row.passage = uint16(min(len(out), 1<<16-1))
		p.fill(tokens[start:cut], name)
		if len(p.text)+len(p.speaker) > 0 {
			out = append(out, p)
		}
		start = cut
	}
	return out
}

// fill takes the terms. Function words are left out, unless there is nothing
// else: they make half of all postings, and are asked for only by a query that
// has nothing else, either.
func (p *turnPassage) fill(tokens []analysis.Token, name int) {
	stops := true
	for _, t := range tokens {
		stops = stops && t.Stop
	}
	at := map[string]int{}
	for _, t := range tokens {
		switch {
		case t.Stop && !stops:
		case t.End <= name:
			p.speaker = append(p.speaker, postings.Term{Text: t.Term, Positions: []uint32{uint32(t.Pos)}})
		default:
			if t.Kind == analysis.Word {
				p.words++
			}
			i, ok := at[t.Term]
			if !ok {
				i = len(p.text)
				at[t.Term] = i
				p.text = append(p.text, postings.Term{Text: t.Term})
			}
			p.text[i].Positions = append(p.text[i].Positions, uint32(t.Pos))
		}
	}
	p.speaker = uniqueTerms(p.speaker)
}

// uniqueTerms drops the further ones of the same text.
func uniqueTerms(list []postings.Term) []postings.Term {
	out := list[:0]
	seen := map[string]bool{}
	for _, t := range list {
		if !seen[t.Text] {
			seen[t.Text] = true
			out = append(out, t)
		}
	}
	return out
}

func (p *turnPassage) document() postings.Document {
	d := postings.Document{
		Fields:  make([][]postings.Term, turnFieldCount),
		Lengths: make([]uint32, turnFieldCount),
		Row:     p.row.encode(),
	}
	f := textFieldOf[p.row.role]
	d.Fields[f] = p.text
	d.Lengths[f] = uint32(p.words)
	d.Fields[turnSpeaker] = p.speaker
	d.Lengths[turnSpeaker] = uint32(len(p.speaker))
	return d
}

const (
	maxSpeakerBytes = 40
	maxSpeakerWords = 3
)

// speakerEnd returns where the name ends that a turn begins with, in chats of
// several people ("Ada Lovelace: see you there"), or 0.
func speakerEnd(text string) int {
	colon := strings.IndexByte(text[:min(len(text), maxSpeakerBytes)], ':')
	if colon <= 0 || colon+1 >= len(text) || text[colon+1] != ' ' {
		return 0
	}
	words := strings.Fields(text[:colon])
	if len(words) == 0 || len(words) > maxSpeakerWords {
		return 0
	}
	for _, w := range words {
		first, _ := utf8.DecodeRuneInString(w)
		if !unicode.IsLetter(first) || unicode.IsLower(first) {
			return 0
		}
	}
	return colon
}

func speakerNumber(name string) uint8 {
	if name == "" {
		return 0
	}
	return uint8(1 + crc32.ChecksumIEEE([]byte(name))%255)
}
