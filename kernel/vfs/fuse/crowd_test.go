package fuse

import (
	"strings"
	"testing"
)

// TestCrowd: of a hundred processes that open one device at the same moment, again
// and again, each reads the replies to what it asked itself, by every way of reading;
// and who comes later finds a file with a size.
func TestCrowd(t *testing.T) {
	need(t, "python3")
	m := mount(t, serving{})
	before := runs(t, m)
	out, errs, rc := m.sh(t, "bash", `python3 -c '
import os,sys
M=os.environ["M"]; r,w=os.pipe(); done,told=os.pipe()
for k in range(100):
    if os.fork()==0:
        os.close(w); os.read(r,1)
        for i in range(2):
            q=b"%d-%d" % (k,i)
            f=os.open(M+"/commit",os.O_RDWR); os.write(f,b"{\"q\":\"%s\",\"long\":%d}" % (q,k*20))
            a=os.read(f,65536); os.close(f)
            f=os.open(M+"/commit",os.O_RDONLY); b=os.read(f,65536); c=os.pread(f,65536,0); os.close(f)
            d=open(M+"/commit","rb").read()
            out=os.open("/dev/null",os.O_WRONLY); f=os.open(M+"/commit",os.O_RDONLY); os.sendfile(out,f,0,65536); os.close(f)
            if any(b"\"q\":\"%s\"" % q not in x for x in (a,b,c,d)): os.write(told,b"%s got %s\\n" % (q,a[:60]+b[:60]+c[:60]+d[:60]))
        os._exit(0)
os.close(r); os.close(w); os.close(told)
for k in range(100):
    if os.wait()[1]: print("a child failed")
print(os.read(done,10000).decode(),"done")'`)
	if got := runs(t, m) - before; rc != 0 || strings.TrimSpace(out) != "done" || got != 200 {
		t.Errorf("status %d, %d runs, %q; stderr %q", rc, got, out, errs)
	}
	out, _, _ = m.sh(t, "bash", `echo '{"q":"alone"}' > $M/commit; stat -c %s $M/commit; wc -c < $M/commit; cat $M/commit | wc -c`)
	sizes := strings.Fields(out)
	if len(sizes) != 3 || sizes[0] == "0" || sizes[0] != sizes[1] || sizes[1] != sizes[2] {
		t.Errorf("after the crowd the sizes are %q", sizes)
	}
}
