package config

import (
	"testing"
	"time"
)

func FuzzDecode(f *testing.F) {
	f.Add([]byte(Reference()))
	f.Add([]byte("store: {memory_char_limit: 1, overflow_policy: fifo}\nmount: {deadline: 1m}\n"))
	f.Add([]byte("preset: [cao, a3s]\nscopes: {working: {entries: 3}}\ncategories: {user: {require: [a]}}\n"))
	f.Add([]byte("preset: [infraware]\ntools: {save_memory: {request: {a: [$fact, 1.5, null]}}, t: {device: ring, args: {n: {type: integer, default: 3}}, request: {n: $n}}}\nscopes: {ring: {keep: ram}}\n"))
	f.Add([]byte("store: {memory_char_limit: -5}\nenabld: yes\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		c := Default()
		lines, problems, _ := decode(data, &c, true)
		if len(problems) > 0 {
			return
		}
		if !inRange(c) {
			t.Errorf("out of range: %+v", c)
		}
		if d := Differences(Default(), c); len(d) > len(lines) {
			t.Errorf("%d keys changed, by %d lines", len(d), len(lines))
		}
		again := Default()
		if _, problems, _ := decode([]byte((&Loaded{Config: c}).Explain()), &again, true); len(problems) > 0 || !again.Equal(c) {
			t.Errorf("what is printed does not load to the same: %v\n%+v\n%+v", problems, again, c)
		}
	})
}

// inRange states the ranges a second time, as the documentation has them.
func inRange(c Config) bool {
	policy, order, level := c.Store.OverflowPolicy, c.Inject.Order, c.Log.Level
	return c.Store.MemoryCharLimit > 0 && c.Store.UserCharLimit > 0 &&
		(policy == "error" || policy == "fifo" || policy == "relevance") &&
		len([]rune(c.Writeback.Model)) <= 200 && c.Writeback.TriggerThreshold >= 0 &&
		c.Writeback.MaxEntries > 0 && c.Writeback.MaxEntries <= 100 &&
		c.LLM.Timeout >= time.Second && c.LLM.Timeout <= 10*time.Minute && c.LLM.MaxTokensPerDay >= 0 && c.LLM.MaxInputTokens >= 1000 &&
		c.Recall.MaxResults > 0 && c.Recall.MaxResults <= 1000 &&
		(order == GlobalFirst || order == ProjectFirst) &&
		c.Mount.Deadline >= 100*time.Millisecond && c.Mount.Deadline <= 10*time.Minute &&
		(level == LevelDebug || level == LevelInfo || level == LevelWarn || level == LevelError)
}
