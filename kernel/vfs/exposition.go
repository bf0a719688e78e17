package vfs

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Exposition is figures in Prometheus' text format, version 0.0.4
// (prometheus.io/docs/instrumenting/exposition_formats), and each name begins with
// rnixfs_. The zero value is empty.
type Exposition struct {
	text   bytes.Buffer
	family string // whose samples follow
	head   string // of the family, until it has a sample
}

// Family begins a family: a counter, a gauge, ... All its samples follow before the next.
// One without samples is left out.
func (x *Exposition) Family(name, kind, help string) *Exposition {
	x.family = "rnixfs_" + name
	x.head = fmt.Sprintf("# HELP %s %s\n# TYPE %[1]s %[3]s\n", x.family, help, kind)
	return x
}

// labelValue escapes what may not stand in a label's value.
var labelValue = strings.NewReplacer(`\`, `\\`, "\n", `\n`, `"`, `\"`)

// Add adds a sample with labels: names and values, in turn.
func (x *Exposition) Add(value float64, labels ...string) *Exposition {
	return x.add("", value, labels...)
}

func (x *Exposition) add(suffix string, value float64, labels ...string) *Exposition {
	x.text.WriteString(x.head + x.family + suffix)
	x.head = ""
	for i := 0; i+1 < len(labels); i += 2 {
		x.text.WriteString(map[bool]string{true: "{", false: ","}[i == 0])
		x.text.WriteString(labels[i] + `="` + labelValue.Replace(strings.ToValidUTF8(labels[i+1], "?")) + `"`)
	}
	if len(labels) > 1 {
		x.text.WriteByte('}')
	}
	x.text.WriteString(" " + strconv.FormatFloat(value, 'f', -1, 64) + "\n")
	return x
}

// Gauge is a family of one gauge without labels.
func (x *Exposition) Gauge(name, help string, value float64) {
	x.Family(name, "gauge", help).Add(value)
}

// Counter is a family of one counter without labels.
func (x *Exposition) Counter(name, help string, value float64) {
	x.Family(name, "counter", help).Add(value)
}

// Each adds a sample for each value of one label.
func Each[K ~string, V int | int64 | uint64](x *Exposition, label string, values map[K]V) {
	for _, k := range slices.Sorted(maps.Keys(values)) {
		x.Add(float64(values[k]), label, string(k))
	}
}

// Histogram adds the samples of a histogram.
func (x *Exposition) Histogram(h Histogram, labels ...string) {
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
