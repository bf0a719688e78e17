package cli

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// figures are what the device metrics shows, by name and labels as they stand there, and
// when that was ("at").
type figures map[string]float64

func parseFigures(text []byte) figures {
	f := figures{"at": float64(time.Now().UnixMilli()) / 1000}
	for line := range strings.Lines(string(text)) {
		if i := strings.LastIndexByte(line, ' '); line[0] != '#' && i > 0 {
			f[strings.TrimPrefix(line[:i], "rnixfs_")], _ = strconv.ParseFloat(strings.TrimSpace(line[i:]), 64)
		}
	}
	return f
}

var labelled = regexp.MustCompile(`\w+="((?:[^"\\]|\\.)*)"`)

// each calls do with each sample of a family and the values of its labels.
func (f figures) each(family string, do func(value float64, labels []string)) {
	for _, id := range slices.Sorted(maps.Keys(f)) {
		if rest, ok := strings.CutPrefix(id, family+"{"); ok {
			var labels []string
			for _, m := range labelled.FindAllStringSubmatch(rest, -1) {
				labels = append(labels, m[1])
			}
			do(f[id], labels)
		}
	}
}

// most names the samples of a family that are not 0 by so many of their labels, the
// greatest first.
func (f figures) most(family string, labels int) string {
	sums, all := map[string]float64{}, []string{}
	f.each(family, func(n float64, l []string) { sums[strings.Join(l[:labels], " ")] += n })
	for _, k := range slices.SortedFunc(maps.Keys(sums), func(a, b string) int { return cmp.Or(cmp.Compare(sums[b], sums[a]), cmp.Compare(a, b)) }) {
		if sums[k] > 0 && !strings.HasSuffix(k, " ok") {
			all = append(all, fmt.Sprintf("%s %.0f", k, sums[k]))
		}
	}
	return cmp.Or(strings.Join(all, ", "), "none")
}

// within says within what time a part of a device's requests was done.
func (f figures) within(device string, part float64) string {
	type bucket struct{ le, n float64 }
	all := []bucket{{}}
	f.each("request_duration_seconds_bucket", func(n float64, labels []string) {
		if le, _ := strconv.ParseFloat(labels[1], 64); labels[0] == device {
			all = append(all, bucket{le, n})
		}
	})
	slices.SortFunc(all, func(a, b bucket) int { return cmp.Compare(a.le, b.le) })
	last := len(all) - 1
	i := slices.IndexFunc(all, func(b bucket) bool { return b.n > 0 && b.n >= part*all[last].n })
	switch {
	case i < 0:
		return "-"
	case i == last:
		return ">" + time.Duration(math.Round(all[i-1].le*1e9)).String()
	}
	return "<" + time.Duration(math.Round(all[i].le*1e9)).String()
}

// overview is the lines that top shows, after earlier looks. What needs a person begins
// with "!".
func overview(earlier []figures, now figures) []string {
	before, lately := figures{"at": now["start_time_seconds"]}, figures{}
	if len(earlier) > 0 {
		before = earlier[0]
	}
	for id, n := range now {
		lately[id] = n - before[id]
	}
	ago := func(seconds float64) time.Duration { return time.Duration(seconds) * time.Second }
	mark := func(bad bool, format string, args ...any) string {
		return map[bool]string{true: "!", false: " "}[bad] + fmt.Sprintf(format, args...)
	}
	ill := now["healthy"] == 0 || now["config_refused"] > 0
	lines := []string{
		mark(ill, "%s  up %v  %.0f MB  %.0f fds  %.0f handles  %.0f replies kept  %.0f bytes pending", map[bool]string{true: "see rnixfs status", false: "healthy"}[ill], ago(now["at"]-now["start_time_seconds"]),
			now["process_resident_memory_bytes"]/1e6, now["process_open_fds"], now["open_handles"], now["kept_replies"], now["pending_bytes"]),
		mark(now["writeback_dead_jobs"] > 0, "writeback  %.0f waiting, oldest %v; %.0f done, %.0f dead; dropped: %s", now["writeback_queue_jobs"],
			ago(now["writeback_oldest_job_seconds"]), now["writeback_done_jobs"], now["writeback_dead_jobs"], now.most("writeback_dropped_candidates", 1)),
		mark(now["scanner_ready"] == 0, "scanner    %.0f scans, %.1f ms each; found: %s", now["scanner_scans_total"],
			1000*now["scanner_duration_seconds_sum"]/max(now["scanner_duration_seconds_count"], 1), now.most("scanner_findings_total", 1)),
		mark(now["index_lag_seconds"] > 60, "index      %.0f conversations behind, for %v", now["index_behind_conversations"], ago(now["index_lag_seconds"])),
		mark(false, "failures   %s", now.most("requests_total", 2)),
		"", mark(false, "%-14s%8s%10s%9s%9s%9s", "DEVICE", "REQ/S", "REQUESTS", "P50", "P99", "SLOWEST"),
	}
	done, rates := map[string]float64{}, map[string]float64{}
	now.each("requests_total", func(n float64, labels []string) { done[labels[0]] += n })
	lately.each("requests_total", func(n float64, labels []string) { rates[labels[0]] += n / max(lately["at"], 0.001) })
	for _, device := range slices.Sorted(maps.Keys(done)) {
		of := now
		if lately.within(device, 1) != "-" {
			of = lately
		}
		lines = append(lines, mark(false, "%-14s%8.1f%10.0f%9s%9s%9s", device, rates[device], done[device], of.within(device, 0.5), of.within(device, 0.99), now.within(device, 1)))
	}
	lines = append(lines, "", mark(false, "%-14s%-34s%s", "SCOPE", "FULL", "CHARACTERS"))
	full := map[string]float64{}
	now.each("scope_limit_characters", func(most float64, labels []string) {
		full[labels[0]] = now[fmt.Sprintf("scope_characters{scope=%q}", labels[0])] / most
	})
	for _, scope := range slices.SortedFunc(maps.Keys(full), func(a, b string) int { return cmp.Or(cmp.Compare(full[b], full[a]), cmp.Compare(a, b)) }) {
		bar, label := int(math.Round(25*min(full[scope], 1))), fmt.Sprintf("{scope=%q}", scope)
		lines = append(lines, mark(full[scope] > 0.9, "%-14s[%s%s] %3.0f%%  %.0f of %.0f", scope, strings.Repeat("#", bar), strings.Repeat(".", 25-bar), 100*full[scope], now["scope_characters"+label], now["scope_limit_characters"+label]))
	}
	return lines
}
