package recall

// tuning is the weights of the ranking of turns. They are constants in all but
// the measurements of what each is worth.
type tuning struct {
	k1, b float64 // saturation and length of BM25
	// roles are what the words of user, assistant, tool and system count.
	roles [len(roles)]float64
	// speaker is what a name counts as a word when it says who speaks.
	speaker float64
	// neighbours is what the words of the passages beside one count as its own,
	// and next the same of the passage behind.
	before, behind float64
	// propagate is the part of the scores of the passages beside one that it is
	// given.
	propagate float64
	// session is what the score of the whole process counts.
	session float64
	// proximity is what two words of the query side by side are worth, in parts of
	// the lesser one's weight; window is how far apart they may stand.
	proximity float64
	window    int
	// dates is what a date of the query counts as a word in a turn of that day,
	// month, weekday or year.
	dates float64
	// exact is what it adds to a word that stands there in the same form.
	exact float64
	// coverage is the share of the score that depends on how much of the query
	// was found.
	coverage       float64
	idfPower       float64
	timeHint       float64
	x1, x2, x3, x4 float64
	// scan is how many passages are scored in full, read how many of those are
	// read again.
	scan, read int
	// perSession is how many results of one process come before those of others
	// that score less; 0 is any number.
	perSession int
}

var defaultTuning = tuning{
	k1: 0.9, b: 0.5,
	roles:   [len(roles)]float64{1, 0.6, 0.5, 0.3},
	speaker: 2,
	before:  0.5, behind: 0.5,
	propagate: 0.15,
	session:   0.4,
	proximity: 0.5, window: 3,
	dates:    1,
	idfPower: 1,
	scan:     1000, read: 100,
}
