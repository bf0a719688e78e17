package vfs

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Exposition is figures in Prometheus' text format, version 0.0.4
// (prometheus.io/docs/instrumenting/exposition_formats). Each name begins with rnixfs_.
// The zero value is empty.
type Exposition struct {
	text         bytes.Buffer
	family, head string // whose samples follow; its comments, until it has one
}

// Family begins a family: a counter, a gauge, ... All its samples follow before the next.
// One without samples is left out.
func (x *Exposition) Family(name, kind, help string) {
	x.family = "rnixfs_" + name
	x.head = fmt.Sprintf("# HELP %s %s\n# TYPE %[1]s %[3]s\n", x.family, help, kind)
}

// Figure adds a family of one sample: a gauge, or a counter where the name says so.
func (x *Exposition) Figure(name, help string, value float64) {
	x.Family(name, map[bool]string{true: "counter", false: "gauge"}[strings.HasSuffix(name, "_total")], help)
	x.Add(value)
}

// Add adds a sample with labels: names and values, in turn.
func (x *Exposition) Add(value float64, labels ...string) { x.add("", value, labels...) }

// labelValue escapes what may not stand in a label's value.
var labelValue = strings.NewReplacer(`\`, `\\`, "\n", `\n`, `"`, `\"`)

func (x *Exposition) add(suffix string, value float64, labels ...string) {
	x.text.WriteString(x.head + x.family + suffix)
	x.head = ""
	for i := 0; i+1 < len(labels); i += 2 {
		x.text.WriteByte("{,"[min(i, 1)])
		fmt.Fprintf(&x.text, `%s="%s"`, labels[i], labelValue.Replace(labels[i+1]))
	}
	if len(labels) > 1 {
		x.text.WriteByte('}')
	}
	x.text.WriteString(" " + strconv.FormatFloat(value, 'f', -1, 64) + "\n")
}

// histogram adds the samples of a histogram.
func (x *Exposition) histogram(h Histogram, labels ...string) {
	n := uint64(0)
	for i, count := range h.Counts {
		le := "+Inf"
		if i < len(buckets) {
			le = strconv.FormatFloat(buckets[i], 'f', -1, 64)
		}
		n += count
		x.add("_bucket", float64(n), append(slices.Clip(labels), "le", le)...)
	}
	x.Sum(h.Sum, n, labels...)
}

// Sum adds the sum and the number of what was observed: all of a summary, and the end of
// a histogram.
func (x *Exposition) Sum(sum float64, n uint64, labels ...string) {
	x.add("_sum", sum, labels...)
	x.add("_count", float64(n), labels...)
}
