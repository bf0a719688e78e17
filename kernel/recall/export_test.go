package recall

// Tuning is the weights of the ranking of turns, for measurements.
type Tuning = tuning

// WithTuning calls f with other weights for what is opened meanwhile.
func WithTuning(change func(*Tuning), f func()) {
	before := defaultTuning
	defer func() { defaultTuning = before }()
	change(&defaultTuning)
	f()
}

// Set sets a weight by its name.
func (t *tuning) Set(name string, x float64) {
	fields := map[string]*float64{
		"k1": &t.k1, "b": &t.b, "speaker": &t.speaker, "neighbours": &t.neighbours, "session": &t.session,
		"dates": &t.dates, "short": &t.short, "title": &t.title, "sign": &t.sign,
		"asking": &t.asking, "answering": &t.answering, "assistant": &t.roles[1],
	}
	numbers := map[string]*int{"scan": &t.scan, "read": &t.read}
	if p := fields[name]; p != nil {
		*p = x
	} else if p := numbers[name]; p != nil {
		*p = int(x)
	} else {
		panic("no weight is called " + name)
	}
}

// Child, if set, may take the test binary over before the tests run.
var Child func() bool
