package fuse

import (
	"fmt"
	"strings"
	"testing"
)

// flood writes requests in one write(2) that the kernel cuts, and tells how many
// there were, how many replies it read, and the first and the last of them.
const flood = `python3 -c '
import os
n,old=%d,%d
f=os.open(os.environ["M"]+"/commit",os.O_RDWR)
for i in range(old): os.write(f,b"{\"q\":\"before\"}")
one=b"{\"q\":\"%%06d\",\"long\":40}\n"
data=b"".join(one%%i for i in range(n))
assert os.write(f,data)==len(data)
got=b""
while True:
    part=os.read(f,1<<20)
    if not part: break
    got+=part
lines=got.splitlines()
print(n,len(lines),b"000000" in lines[0],b"before" in lines[0],b"%%06d"%%(n-1) in lines[-1])'`

// TestSplitWrite: a write that is larger than the kernel hands over at once keeps
// the replies to all of its requests.
func TestSplitWrite(t *testing.T) {
	need(t, "python3")
	for _, c := range []struct {
		n, old int
		want   string
	}{
		{20_000, 0, "20000 20000 True False True"},
		{60_000, 0, "60000 60000 True False True"},
		{20_000, 1, "20000 20000 True False True"},
	} {
		m := mount(t, serving{})
		if out, errs, rc := m.sh(t, "bash", fmt.Sprintf(flood, c.n, c.old)); rc != 0 || strings.TrimSpace(out) != c.want {
			t.Errorf("%d after %d: %q, want %q; %s", c.n, c.old, out, c.want, errs)
		}
	}
}

// TestSplitBounded: who has too much unread keeps the newest.
func TestSplitBounded(t *testing.T) {
	need(t, "python3")
	m := mount(t, serving{Options: settings{Limits: Limits{Unread: 1 << 20}}})
	out, errs, rc := m.sh(t, "bash", fmt.Sprintf(flood, 60_000, 0))
	var n, lines int
	if _, err := fmt.Sscanf(out, "%d %d False False True", &n, &lines); err != nil || rc != 0 || lines == 0 || lines > n/4 {
		t.Errorf("status %d, %q; %s", rc, out, errs)
	}
}
