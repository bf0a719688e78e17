package fuse

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
)

// TestShells writes requests the way shells and tools do, and reads the reply.
func TestShells(t *testing.T) {
	m := mount(t, serving{})
	big := fmt.Sprintf(`{"q":"big","fill":"%s"}`, strings.Repeat("y", 300<<10))
	for _, shell := range []string{"bash", "dash", "zsh -f", "busybox sh"} {
		t.Run(strings.Fields(shell)[0]+strings.TrimPrefix(shell, strings.Fields(shell)[0]), func(t *testing.T) {
			for name, tt := range map[string]struct {
				script string
				out    []string // each must stand in stdout
				rc     int
			}{
				"echo":          {`echo '{"q":"a1"}' > $M/recall && cat $M/recall`, []string{`"q":"a1"`}, 0},
				"append":        {`echo '{"q":"a2"}' >> $M/recall && cat $M/recall`, []string{`"q":"a2"`}, 0},
				"printf":        {`printf '{"q":"%s"}' a3 > $M/recall && cat $M/recall`, []string{`"q":"a3"`, `"len":10`}, 0},
				"several lines": {"echo '{\n\"q\":\n\"a4\"\n}' > $M/recall && cat $M/recall", []string{`"q":"a4"`}, 0},
				"here document": {"cat > $M/recall <<E\n{\"q\":\n \"a5\"}\nE\ncat $M/recall", []string{`"q":"a5"`}, 0},
				"two":           {`printf '{"q":"b1"}\n{"q":"b2"}\n' > $M/recall && cat $M/recall`, []string{`"q":"b2"`}, 0},
				"bad":           {`echo nonsense > $M/commit || cat $M/commit`, []string{`"code":"invalid"`, `one JSON object`}, 0},
				"status of bad": {`echo nonsense > $M/commit`, nil, 1},
				"rejected":      {`echo '{"fail":"rejected"}' > $M/commit || cat $M/commit`, []string{`"code":"rejected"`}, 0},
				"over limit":    {`echo '{"fail":"over_limit"}' > $M/commit || cat $M/commit`, []string{`"code":"over_limit"`}, 0},
				"panic":         {`echo '{"panic":true}' > $M/commit || cat $M/commit; echo '{"q":"on"}' > $M/commit && cat $M/commit`, []string{`"code":"internal"`, `"q":"on"`}, 0},
				"good then bad": {`printf '{"q":"g1"}\nbad' > $M/commit || cat $M/commit`, []string{`"code":"invalid"`}, 0},
				"same descriptor": {
					`exec 3<>$M/recall; echo '{"q":"c1"}' >&3; read -r l <&3; echo "$l"; echo '{"q":"c2"}' >&3; read -r l <&3; echo "$l"`,
					[]string{`"q":"c1"`, `"q":"c2"`},
					0,
				},
				"subshell write": {`(echo '{"q":"d1"}' > $M/recall); cat $M/recall`, []string{`"q":"d1"`}, 0},
				"substitution":   {`echo '{"q":"d2"}' > $M/recall; x=$(cat $M/recall | cat); echo "$x"`, []string{`"q":"d2"`}, 0},
				"external":       {`echo '{"q":"d3"}' | tee $M/recall >/dev/null; cat $M/recall`, []string{`"q":"d3"`}, 0},
				"child flushes":  {`( printf '{"q":'; sleep 0.1; printf '"e1"}' ) > $M/recall && cat $M/recall`, []string{`"q":"e1"`}, 0},
				"cut off":        {`printf '{"q":' > $M/commit; cat $M/commit`, []string{`"code":"invalid"`, `cut off`}, 0},
				"cut off, cat":   {`printf '{"q":' | cat > $M/commit; cat $M/commit`, []string{`cut off`}, 0},
				"session":        {`echo '{"q":"f1"}' > $M/s/one/recall; cat $M/s/one/recall; cat $M/s/two/recall`, []string{`"q":"f1"`, `"session":"one"`, `"help":"recall"`}, 0},
				"no reply":       {`cat $M/profile`, []string{`"help":"profile"`}, 0},
				"read only":      {`echo '{}' > $M/status`, nil, -1},
			} {
				t.Run(name, func(t *testing.T) {
					out, errs, rc := m.sh(t, shell, tt.script)
					for _, want := range tt.out {
						if !strings.Contains(out, want) {
							t.Errorf("%q is not in %q (stderr %q)", want, out, errs)
						}
					}
					if bad := rc != tt.rc; tt.rc >= 0 && bad || tt.rc < 0 && rc == 0 {
						t.Errorf("status %d, want %d; stderr %q", rc, tt.rc, errs)
					}
				})
			}
		})
	}
	t.Run("large", func(t *testing.T) {
		file := t.TempDir() + "/big"
		if err := os.WriteFile(file, []byte(big), 0o600); err != nil {
			t.Fatal(err)
		}
		out, errs, _ := m.sh(t, "bash", `echo "$(<`+file+`)" > $M/recall; cat $M/recall`)
		if !strings.Contains(out, fmt.Sprintf(`"len":%d`, len(big))) {
			t.Errorf("%q %q", out, errs)
		}
	})
	t.Run("noclobber", func(t *testing.T) {
		out, _, _ := m.sh(t, "bash", `set -o noclobber; echo '{"q":"n1"}' >> $M/recall; echo '{"q":"n2"}' >| $M/recall; cat $M/recall`)
		if !strings.Contains(out, `"q":"n2"`) {
			t.Error(out)
		}
	})
}

// TestWriters are the programs that write otherwise than a shell does. Each must
// run its request once, and report a failure.
func TestWriters(t *testing.T) {
	m := mount(t, serving{})
	request := `{"q":"w","fill":"` + strings.Repeat("z", 20000) + `"}`
	setup := fmt.Sprintf("cd %s; printf '%%s' '%s' > req; printf '%%s' '{\"fail\":\"over_limit\",\"fill\":\"%s\"}' > bad;", t.TempDir(), request, strings.Repeat("z", 20000))
	for name, tt := range map[string]struct{ need, write string }{
		"cp":           {"cp", `cp FILE $M/recall`},
		"cat":          {"cat", `cat FILE > $M/recall`},
		"tee":          {"tee", `tee $M/recall < FILE >/dev/null`},
		"dd small":     {"dd", `dd if=FILE of=$M/recall bs=7 2>/dev/null`},
		"dd byte":      {"dd", `dd if=FILE of=$M/recall bs=1 conv=notrunc 2>/dev/null`},
		"jq":           {"jq", `jq . FILE > $M/recall`},
		"busybox cat":  {"busybox", `busybox cat FILE > $M/recall`},
		"busybox cp":   {"busybox", `busybox cp FILE $M/recall`},
		"python write": {"python3", `python3 -c 'import os; open(os.environ["M"]+"/recall","w").write(open("FILE").read())'`},
		"python dump": {"python3", `python3 -c 'import os,json
with open(os.environ["M"]+"/recall","w") as f: json.dump(json.load(open("FILE")),f)'`},
		"python copy":   {"python3", `python3 -c 'import os,shutil; shutil.copyfile("FILE",os.environ["M"]+"/recall")'`},
		"node write":    {"node", `node -e 'const fs=require("fs");fs.writeFileSync(process.env.M+"/recall",fs.readFileSync("FILE"))'`},
		"node copy":     {"node", `node -e 'const fs=require("fs");fs.copyFileSync("FILE",process.env.M+"/recall")'`},
		"sed":           {"sed", `sed '' FILE > $M/recall`},
		"perl":          {"perl", `perl -pe '' FILE > $M/recall`},
		"cp preserving": {"cp", `cp --preserve=mode,timestamps FILE $M/recall`},
	} {
		t.Run(name, func(t *testing.T) {
			need(t, tt.need)
			before := runs(t, m)
			out, errs, rc := m.sh(t, "bash", setup+strings.ReplaceAll(tt.write, "FILE", "req")+"; s=$?; cat $M/recall; exit $s")
			if rc != 0 || !strings.Contains(out, `"q":"w"`) {
				t.Errorf("status %d, %q, stderr %q", rc, out, errs)
			}
			if got := runs(t, m) - before; got != 1 {
				t.Errorf("%d runs of one request", got)
			}
			out, _, rc = m.sh(t, "bash", setup+strings.ReplaceAll(tt.write, "FILE", "bad")+"; s=$?; cat $M/recall; exit $s")
			if rc == 0 || !strings.Contains(out, `"code":"over_limit"`) {
				t.Errorf("a failure: status %d, %q", rc, out)
			}
			// Those who use sendfile(2) try again with write(2) after any error.
			if got := runs(t, m) - before; got != 2 && got != 3 {
				t.Errorf("%d runs of two requests", got)
			}
		})
	}
}

func runs(tb testing.TB, m *mountT) int {
	tb.Helper()
	out, _, _ := m.sh(tb, "dash", "cat $M/status")
	var s struct{ Runs int }
	if err := json.Unmarshal([]byte(out), &s); err != nil {
		tb.Fatalf("%q: %v", out, err)
	}
	return s.Runs
}

// TestReaders reads a reply in every way that was seen to come back empty or short
// when the size is not exact.
func TestReaders(t *testing.T) {
	m := mount(t, serving{})
	for name, tt := range map[string]struct{ need, read string }{
		"cat":             {"cat", `cat $M/recall`},
		"head":            {"head", `head -c 1000000 $M/recall`},
		"tail":            {"tail", `tail -n 1 $M/recall`},
		"wc":              {"wc", `test $(wc -c < $M/recall) -eq $(cat $M/recall | wc -c) && cat $M/recall`},
		"grep":            {"grep", `grep mark $M/recall`},
		"sed":             {"sed", `sed -n 1p $M/recall`},
		"awk":             {"awk", `awk 1 $M/recall`},
		"jq":              {"jq", `jq -c . $M/recall`},
		"cp":              {"cp", `cp $M/recall out; cat out`},
		"dd":              {"dd", `dd if=$M/recall bs=11 2>/dev/null`},
		"tar":             {"tar", `tar -C $M -cf out.tar recall; tar -xOf out.tar`},
		"curl":            {"curl", `curl -s file://$M/recall`},
		"busybox cat":     {"busybox", `busybox cat $M/recall`},
		"busybox cp":      {"busybox", `busybox cp $M/recall out; cat out`},
		"busybox tail":    {"busybox", `busybox tail $M/recall`},
		"bash substitute": {"bash", `echo "$(<$M/recall)"`},
		"bash read":       {"bash", `read -r x < $M/recall; echo "$x"`},
		"bash mapfile":    {"bash", `mapfile -t x < $M/recall; echo "${x[0]}"`},
		"dash read":       {"dash", `dash -c 'read -r x < $M/recall; echo "$x"'`},
		"python":          {"python3", `python3 -c 'import os;print(open(os.environ["M"]+"/recall").read())'`},
		"python copy":     {"python3", `python3 -c 'import os,shutil;shutil.copyfile(os.environ["M"]+"/recall","out")'; cat out`},
		"python mmap":     {"python3", `python3 -c 'import os,mmap;f=open(os.environ["M"]+"/recall");print(mmap.mmap(f.fileno(),0,prot=1)[:].decode())'`},
		"python sendfile": {"python3", `python3 -c 'import os;i=os.open(os.environ["M"]+"/recall",0);o=os.open("out",os.O_CREAT|os.O_WRONLY);os.sendfile(o,i,0,1<<20)'; cat out`},
		"python splice":   {"python3", `python3 -c 'import os;i=os.open(os.environ["M"]+"/recall",0);[0 for _ in iter(lambda: os.splice(i,1,1<<16), 0)]' | cat`},
		"python range":    {"python3", `python3 -c 'import os;i=os.open(os.environ["M"]+"/recall",0);o=os.open("out",os.O_CREAT|os.O_WRONLY);n=os.copy_file_range(i,o,1<<20)' && cat out || cat $M/recall`},
		"node":            {"node", `node -e 'console.log(require("fs").readFileSync(process.env.M+"/recall","utf8"))'`},
		"node copy":       {"node", `node -e 'require("fs").copyFileSync(process.env.M+"/recall","out")'; cat out`},
		"node stream":     {"node", `node -e 'require("fs").createReadStream(process.env.M+"/recall").pipe(process.stdout)'`},
	} {
		for _, long := range []int{10, 5000, 100_000} {
			t.Run(fmt.Sprint(name, long), func(t *testing.T) {
				need(t, tt.need)
				script := fmt.Sprintf(`cd %s; echo '{"q":"mark","long":%d}' > $M/recall; %s`, t.TempDir(), long, tt.read)
				out, errs, _ := m.sh(t, "bash", script)
				var a answer
				if err := json.Unmarshal([]byte(strings.TrimSpace(out)), &a); err != nil || a.Q != "mark" || len(a.Pad) < long {
					t.Errorf("%d bytes (%v): %.80q, stderr %q", len(out), err, out, errs)
				}
			})
		}
	}
}

// TestSameDescriptor converses on one descriptor, as long-lived clients do.
func TestSameDescriptor(t *testing.T) {
	m := mount(t, serving{})
	for name, tt := range map[string]struct{ need, script string }{
		"cat":          {"cat", `exec 3<>$M/recall; echo '{"q":"one"}' >&3; cat <&3; echo '{"q":"two"}' >&3; cat <&3`},
		"busybox cat":  {"busybox", `exec 3<>$M/recall; echo '{"q":"one"}' >&3; busybox cat <&3; echo '{"q":"two","long":9000}' >&3; busybox cat <&3`},
		"both then":    {"cat", `exec 3<>$M/recall; echo '{"q":"one"}' >&3; echo '{"q":"two"}' >&3; cat <&3`},
		"both at once": {"cat", `exec 3<>$M/recall; printf '{"q":"one"}\n{"q":"two"}\n' >&3; cat <&3`},
		"line by line": {"cat", `exec 3<>$M/recall; printf '{"q":"one"}\n{"q":"two"}\n' >&3; read -r a <&3; read -r b <&3; echo "$a"; echo "$b"`},
		"dash lines":   {"dash", `dash -c 'exec 3<>$M/recall; echo "{\"q\":\"one\"}" >&3; read -r a <&3; echo "{\"q\":\"two\"}" >&3; read -r b <&3; echo "$a"; echo "$b"'`},
		"python text": {"python3", `python3 -c '
import os
f=open(os.environ["M"]+"/recall","r+")
for q in ("one","two"):
    f.seek(0); f.write("{\"q\":\"%s\"}\n" % q); f.flush(); f.seek(0); print(f.readline(),end="")'`},
		"python raw": {"python3", `python3 -c '
import os
f=os.open(os.environ["M"]+"/recall",os.O_RDWR)
for q in (b"one",b"two"):
    os.write(f,b"{\"q\":\"%s\"}\n" % q); os.write(1,os.read(f,65536)); assert os.read(f,10)==b""'`},
		"python pread": {"python3", `python3 -c '
import os
f=os.open(os.environ["M"]+"/recall",os.O_RDWR)
for q in (b"one",b"two"):
    os.pwrite(f,b"{\"q\":\"%s\"}\n" % q,0); os.write(1,os.pread(f,65536,0))'`},
		"node": {"node", `node -e '
const fs=require("fs"),f=fs.openSync(process.env.M+"/recall","r+");
for (const q of ["one","two"]) { fs.writeSync(f,JSON.stringify({q})+"\n"); const b=Buffer.alloc(65536); process.stdout.write(b.subarray(0,fs.readSync(f,b)).toString()) }'`},
	} {
		t.Run(name, func(t *testing.T) {
			need(t, tt.need)
			out, errs, _ := m.sh(t, "bash", tt.script)
			lines := strings.Split(strings.TrimSpace(out), "\n")
			if len(lines) != 2 || !strings.Contains(lines[0], `"one"`) || !strings.Contains(lines[len(lines)-1], `"two"`) {
				t.Errorf("%.300q stderr %q", out, errs)
			}
		})
	}
}
