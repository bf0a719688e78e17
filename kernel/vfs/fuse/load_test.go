package fuse

import (
	"fmt"
	"strings"
	"testing"
)

// TestStalledReaders: readers that wait for a device that is slow to show itself hold
// up nobody else, however many they are. Each waits in a directory of its own, and
// the others open without O_CREAT: else they would wait for each other in the kernel,
// for the directory's lock.
func TestStalledReaders(t *testing.T) {
	need(t, "python3")
	m := mount(t, serving{})
	out, errs, rc := m.sh(t, "bash", `python3 -c '
import os,threading
M=os.environ["M"]; done=[]
def ask(path,text):
    f=os.open(path,os.O_RDWR); os.write(f,text); r=os.read(f,4096); os.close(f); return r
def wait(i):
    open(M+"/s/stalled%d/status"%i).read(); done.append(i)
ask(M+"/commit",b"{\"stall\":3000}")
ts=[threading.Thread(target=wait,args=(i,)) for i in range(20)]
[t.start() for t in ts]
for i in range(100): assert b"going on" in ask(M+"/commit",b"{\"q\":\"going on\"}")
before=len(done)
[t.join() for t in ts]
print(before,len(done))'`)
	if rc != 0 || strings.TrimSpace(out) != "0 20" {
		t.Errorf("status %d, readers that were done before and after: %q; stderr %q", rc, out, errs)
	}
}

// TestManyAtOnce: readers and writers side by side, in numbers.
func TestManyAtOnce(t *testing.T) {
	need(t, "python3")
	m := mount(t, serving{})
	before := runs(t, m)
	out, errs, rc := m.sh(t, "bash", `python3 -c '
import os,threading
M=os.environ["M"]; bad=[]
def work(k):
    for i in range(100):
        f=os.open(M+"/commit",os.O_RDWR); q="%d-%d"%(k,i)
        os.write(f,("{\"q\":\"%s\"}"%q).encode())
        if q not in os.read(f,4096).decode(): bad.append(q)
        os.close(f)
        f=os.open(M+"/status",os.O_RDONLY)
        if b"runs" not in os.read(f,4096): bad.append(q)
        os.close(f)
ts=[threading.Thread(target=work,args=(k,)) for k in range(24)]
[t.start() for t in ts]; [t.join() for t in ts]
print(len(bad))'`)
	if got := runs(t, m) - before; rc != 0 || strings.TrimSpace(out) != "0" || got != 2400 {
		t.Errorf("status %d, wrong %q, %d runs; stderr %q", rc, out, got, errs)
	}
}

// TestNodesForgotten: a lookup makes a node, and the kernel gives back those that it
// does not need.
func TestNodesForgotten(t *testing.T) {
	need(t, "python3")
	m := mount(t, serving{})
	out, errs, rc := m.sh(t, "bash", `python3 -c '
import os
for i in range(500):
    for name in ("status", "commit", "s/one/recall"):
        f=os.open(os.environ["M"]+"/"+name,os.O_RDONLY); os.read(f,4096); os.close(f)'`)
	if rc != 0 {
		t.Fatalf("status %d, %q %q", rc, out, errs)
	}
	eventually(t, func() bool {
		var handles, nodes int
		_, err := fmt.Sscan(m.ask(t, "handles"), &handles, &nodes)
		return err == nil && handles == 0 && nodes < 20
	})
}

// TestNodesPruned: names that were looked up once leave no nodes behind, however many
// they are; a file that is open and a directory that is in use stay what they are.
func TestNodesPruned(t *testing.T) {
	need(t, "python3")
	m := mount(t, serving{})
	out, errs, rc := m.sh(t, "bash", `cd $M/s/mine && python3 -c '
import os
M=os.environ["M"]; kept=open(M+"/search/kept"); text=kept.read()
for i in range(3000):
    open(M+"/search/query %d" % i).read()
    os.stat(M+"/search/only looked at %d" % i)
    open(M+"/s/session-%d/recall" % i).read()
kept.seek(0); print(text != "" and kept.read() == text, os.path.exists("recall"), os.getcwd() == M+"/s/mine")' `)
	if rc != 0 || strings.TrimSpace(out) != "True True True" {
		t.Fatalf("status %d, %q %q", rc, out, errs)
	}
	if errs, _, rc := m.sh(t, "bash", `[ "$(printf '%s\n' 6.18 "$(uname -r)" | sort -V | head -n 1)" = 6.18 ]`); rc != 0 {
		t.Skip("this kernel can't be told to drop nodes", errs)
	}
	eventually(t, func() bool {
		var handles, nodes int
		_, err := fmt.Sscan(m.ask(t, "handles"), &handles, &nodes)
		return err == nil && handles == 0 && nodes < 3*pruneEvery
	})
}
