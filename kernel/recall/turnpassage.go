package recall

import (
	"hash/crc32"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rnixfs/rnixfs/kernel/process"
	"github.com/rnixfs/rnixfs/kernel/recall/analysis"
	"github.com/rnixfs/rnixfs/kernel/recall/postings"
)

// StoredTurn is a turn and where its store keeps it.
type StoredTurn struct {
	process.Turn
	Number int   // in its conversation: 0, 1, 2, ...
	Offset int64 // where it begins
	End    int64 // where the next one begins
}

// The fields of a turn's passage. Who speaks decides the field of the text, so
// that the postings tell the roles apart and no row has to be read for it.
const (
	turnUser = iota
	turnAssistant
	turnOther // tools and notes of the agent's program
	turnSpeaker
	turnFieldCount
)

// turnTitle is not in the postings: the title of a conversation may change.
const turnTitle = turnFieldCount

var turnFields = [turnFieldCount]string{"user", "assistant", "other", "speaker"}

// turnFingerprint changes with whatever changes what is indexed.
const turnFingerprint = "turns 2"

// maxTurnBytes bounds what is indexed of one turn: the output of a tool may be a
// whole log file.
const maxTurnBytes = 256 << 10

// textFieldOf is the field of the text of a role, by the role's number.
var textFieldOf = [...]int{turnUser, turnAssistant, turnOther, turnOther}

// turnPassage is a passage on the way to the index.
type turnPassage struct {
	row     turnRow
	words   uint32
	text    []postings.Term
	speaker []postings.Term
}

// turnPassages cuts a turn. Nothing comes of one without words.
func turnPassages(t *StoredTurn) []turnPassage {
	text := t.Content
	if len(text) > maxTurnBytes {
		text = text[:alignBack(text, maxTurnBytes)]
	}
	name := speakerEnd(text)
	row := turnRow{
		turn: uint32(t.Number), offset: t.Offset, time: rowTime(t.Time),
		role: roleNumber(t.Role), speaker: speakerNumber(text[:name]),
	}
	var out []turnPassage
	for i, part := range passages(text) {
		if len(part.tokens) == 0 {
			continue
		}
		p := turnPassage{row: row}
		p.row.start, p.row.length = uint32(part.Start), uint32(part.End-part.Start)
		p.row.passage = uint16(min(i, 1<<16-1))
		p.fill(part.tokens, name)
		out = append(out, p)
	}
	return out
}

// fill takes the terms. Function words are left out, unless there is nothing
// else: they make half of all postings, and are asked for only by a query that
// has nothing else, either.
func (p *turnPassage) fill(tokens []analysis.Token, name int) {
	isStop := func(t analysis.Token) bool { return t.Stop }
	if content := slices.DeleteFunc(slices.Clone(tokens), isStop); len(content) > 0 {
		tokens = content
	}
	said := 0 // tokens of the name, which come first
	for said < len(tokens) && tokens[said].End <= name {
		said++
	}
	isWord := func(t *analysis.Token) bool { return t.Kind == analysis.Word }
	p.speaker, _ = countTerms(tokens[:said], isWord)
	p.text, p.words = countTerms(tokens[said:], isWord)
}

func (p *turnPassage) document() postings.Document {
	d := postings.Document{
		Fields:  make([][]postings.Term, turnFieldCount),
		Lengths: make([]uint32, turnFieldCount),
		Row:     p.row.encode(),
	}
	f := textFieldOf[p.row.role]
	d.Fields[f], d.Lengths[f] = p.text, p.words
	d.Fields[turnSpeaker] = p.speaker
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
