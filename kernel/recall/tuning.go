package recall

// tuning is the weights of the ranking of turns. Only measurements of what each
// is worth change them.
type tuning struct {
	k1, b float64 // saturation and length of BM25
	// roles are what the words of the roles count, by their numbers: user,
	// assistant, tool, system. An assistant says much about everything.
	roles [len(roles)]float64
	// speaker is how many times the name of the speaker counts.
	speaker float64
	// neighbours is what the words of the passages beside one count as its own.
	neighbours float64
	// session is what the score of the whole process counts.
	session float64
	// dates is how many times a date of the query counts as a word of a turn of
	// that day, month, weekday or year.
	dates float64
	// short is the number of words at which a passage is worth half: a greeting
	// has the right names and says nothing.
	short float64
	// title is how often a conversation's first passage has the words of its title.
	title float64

	// What follows is in parts of the weight of the whole query, and needs the
	// text of a passage.

	// asking is taken from a turn for the words that stand in its questions, and
	// answering is given for them to the turn that replies.
	asking, answering float64
	// sign is given for the covered words of a passage that has the sign of an answer to
	// such a question.
	sign float64
	// scan is how many passages are scored in full, read how many of those are
	// read again.
	scan, read int
}

var defaultTuning = tuning{
	k1: 0.9, b: 0.5,
	roles:      [len(roles)]float64{1, 0.8, 0.5, 0.3},
	speaker:    2,
	neighbours: 0.3,
	session:    0.7,
	dates:      1,
	short:      2,
	title:      3,
	asking:     0.3, answering: 0.3,
	sign: 0.1,
	scan: 1000, read: 60,
}
