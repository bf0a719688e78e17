package meaning

import (
	"encoding/binary"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func open(t *testing.T, path string, by Endpoint) *Vectors {
	t.Helper()
	v, err := openVectors(path, by)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { (&Index{vectors: v}).Close() })
	return v
}

func keyed(keys ...uint64) []Text {
	var out []Text
	for _, k := range keys {
		out = append(out, Text{Key: k})
	}
	return out
}

func unit(xs ...float32) []float32 {
	normalise(xs)
	return xs
}

// clustered are vectors around a few points, all with a common part, as models make them.
func clustered(r *rand.Rand, n, length, clusters int) [][]float32 {
	random := func(scale float64) []float64 {
		out := make([]float64, length)
		for i := range out {
			out[i] = scale * r.NormFloat64()
		}
		return out
	}
	common, centres := random(1), make([][]float64, clusters)
	for i := range centres {
		centres[i] = random(0.7)
	}
	out := make([][]float32, n)
	for i := range out {
		noise, c := random(0.5), centres[r.IntN(clusters)]
		out[i] = make([]float32, length)
		for k := range noise {
			out[i][k] = float32(common[k] + c[k] + noise[k])
		}
		normalise(out[i])
	}
	return out
}

func TestNearestIsNearlyExact(t *testing.T) {
	const n, length, questions, wanted = 20_000, 384, 20, 10
	r := rand.New(rand.NewPCG(1, 2))
	list := clustered(r, n+questions, length, 200)
	v := open(t, filepath.Join(t.TempDir(), "v"), Endpoint{Model: "m"})
	keys, slots := make([]uint64, n), make([]int32, n)
	for i := range n {
		keys[i], slots[i] = uint64(i+1), int32(i)
	}
	for from := 0; from < n; from += 100 { // the mean changes as they come
		if err := v.add(keyed(keys[from:from+100]...), list[from:from+100]); err != nil {
			t.Fatal(err)
		}
	}
	found := 0
	for _, q := range list[n:] {
		dots := make([]Near, n)
		for i := range n {
			dots[i].Text = i
			for k := range q {
				dots[i].Near += q[k] * list[i][k]
			}
		}
		slices.SortFunc(dots, func(a, b Near) int { return int(1e9 * (b.Near - a.Near)) })
		near, err := v.nearest(q, slots, wanted)
		if err != nil || len(near) != wanted {
			t.Fatal(near, err)
		}
		for _, x := range near {
			if slices.ContainsFunc(dots[:wanted], func(d Near) bool { return d.Text == x.Text }) {
				found++
			}
		}
	}
	if recall := float64(found) / (questions * wanted); recall < 0.98 {
		t.Errorf("found %.3f of the exact ten nearest", recall)
	}
}

// What was kept is there when the file is opened again, also after a crash in the midst of
// a record; vectors of another model, prefix or length are not.
func TestVectorsAreKept(t *testing.T) {
	path := filepath.Join(t.TempDir(), "v")
	by := Endpoint{Model: "m"}
	texts := func(v *Vectors) (near []Near) {
		index := &Index{vectors: v}
		near, err := index.Nearest(unit(1, 0), Texts{N: 2, Key: func(i int) uint64 { return uint64(i + 7) }, Live: func(int) bool { return true }}, 9)
		if err != nil {
			t.Fatal(err)
		}
		return near
	}
	v := open(t, path, by)
	if err := v.add(keyed(7, 8, 9), [][]float32{unit(0, 1), unit(1, 0.1), nil}); err != nil {
		t.Fatal(err)
	}
	if got := texts(v); len(got) != 2 || got[0].Text != 1 || got[0].Near < 0.99 {
		t.Errorf("nearest: %v", got)
	}
	if _, err := openVectors(path, by); err == nil {
		t.Error("two have the file")
	}
	(&Index{vectors: v}).Close()
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err == nil {
		_, err = f.WriteString("torn")
	}
	if err != nil || f.Close() != nil {
		t.Fatal(err)
	}
	v = open(t, path, by)
	if err := v.add(keyed(8), [][]float32{unit(0.1, 1)}); err != nil { // behind what is torn
		t.Fatal(err)
	}
	(&Index{vectors: v}).Close()
	v = open(t, path, by)
	if got := texts(v); len(got) != 2 || got[0].Near > 0.5 {
		t.Errorf("nearest after a crash: %v", got)
	}
	if err := v.add(keyed(9), [][]float32{unit(1, 0, 0)}); err != nil || texts(v) != nil {
		t.Errorf("vectors of another length are beside each other: %v", err)
	}
	if fi, err := os.Stat(path); err != nil || fi.Size() > 0 {
		t.Error("the vectors of another model lie there")
	}
	for _, length := range []uint32{0, 1 << 31} { // a damaged head
		if err := os.WriteFile(path, append(binary.LittleEndian.AppendUint32(by.fingerprint(), length), make([]byte, 100)...), 0o600); err != nil {
			t.Fatal(err)
		}
		v := open(t, path, by)
		if err := v.add(keyed(7), [][]float32{unit(0, 1)}); err != nil || v.count != 1 {
			t.Errorf("length %d: %d vectors, %v", length, v.count, err)
		}
		(&Index{vectors: v}).Close()
	}
	for _, other := range []Endpoint{{Model: "n"}, {Model: "m", DocumentPrefix: "d"}, {Model: "m", QueryPrefix: "q"}} {
		v := open(t, path, by)
		if err := v.add(keyed(7), [][]float32{unit(0, 1)}); err != nil {
			t.Fatal(err)
		}
		(&Index{vectors: v}).Close()
		if v := open(t, path, other); texts(v) != nil {
			t.Errorf("%+v has vectors of another endpoint", other)
		} else {
			(&Index{vectors: v}).Close()
		}
	}
}

// What is not there is not found, and when it is a quarter of all, nothing is left of it.
func TestRemovedIsNotNear(t *testing.T) {
	x := &Index{Path: filepath.Join(t.TempDir(), "v")}
	defer x.Close()
	live := map[int]bool{0: true, 1: true, 2: true, 3: true, 4: true}
	texts := Texts{N: 5, Key: func(i int) uint64 { return uint64(i + 1) }, Live: func(i int) bool { return live[i] }}
	v := x.open(Endpoint{Model: "m"})
	if err := v.add(keyed(1, 2, 3, 4), [][]float32{unit(1, 0), unit(1, 0.1), unit(1, 0.2), unit(1, 0.3)}); err != nil {
		t.Fatal(err)
	}
	if m := x.Missing(texts, 9); !slices.Equal(m.Numbers, []int{4}) || m.embedded != 4 || m.total != 5 {
		t.Errorf("missing: %+v", m)
	}
	live[0] = false
	near, err := x.Nearest(unit(1, 0), texts, 9)
	if err != nil || len(near) != 3 || near[0].Text != 1 {
		t.Errorf("nearest: %v, %v", near, err)
	}
	x.Missing(texts, 9)
	if fi, err := os.Stat(x.Path); err != nil || fi.Size() == 0 {
		t.Error("one of four is not more than a quarter")
	}
	live[1] = false
	if m := x.Missing(texts, 9); !m.anew {
		t.Errorf("missing: %+v", m)
	}
	if fi, err := os.Stat(x.Path); err != nil || fi.Size() > 0 {
		t.Error("the vectors of what was removed lie there")
	}
	if v := x.open(Endpoint{Model: "m"}); v == nil || v.count != 0 {
		t.Error("the vectors are not made anew")
	}
}
