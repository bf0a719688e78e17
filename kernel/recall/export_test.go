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

func (t *tuning) K1(v float64) { t.k1 = v }
func (t *tuning) Set(k string, v float64) {
	switch k {
	case "k1":
		t.k1 = v
	case "b":
		t.b = v
	case "speaker":
		t.speaker = v
	case "before":
		t.before = v
	case "behind":
		t.behind = v
	case "nb":
		t.before, t.behind = v, v
	case "prop":
		t.propagate = v
	case "session":
		t.session = v
	case "prox":
		t.proximity = v
	case "window":
		t.window = int(v)
	case "dates":
		t.dates = v
	case "exact":
		t.exact = v
	case "coverage":
		t.coverage = v
	case "idf":
		t.idfPower = v
	case "time":
		t.timeHint = v
	case "scan":
		t.scan = int(v)
	case "read":
		t.read = int(v)
	case "per":
		t.perSession = int(v)
	case "x1":
		t.x1 = v
	case "x2":
		t.x2 = v
	case "x3":
		t.x3 = v
	case "x4":
		t.x4 = v
	default:
		panic(k)
	}
}
