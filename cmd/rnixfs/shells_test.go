package main_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// clients write one request, the content of the file "req", to the device
// $MNT/commit and fail when the write fails, each in its own way.
var clients = []struct {
	name string
	tool string
	args []string
}{
	{"bash", "bash", []string{"-c", `r=$(cat req; echo x); printf '%s' "${r%x}" > $MNT/commit`}},
	{"bash echo", "bash", []string{"-c", `echo "$(cat req)" > $MNT/commit`}},
	{"dash", "dash", []string{"-c", `echo "$(cat req)" > $MNT/commit`}},
	{"zsh", "zsh", []string{"-c", `echo -E - "$(cat req)" > $MNT/commit`}},
	{"busybox", "busybox", []string{"sh", "-c", `cat req > $MNT/commit`}},
	{"append", "bash", []string{"-c", `cat req >> $MNT/commit`}},
	{"cp", "cp", []string{"req", "$MNT/commit"}},
	{"tee", "sh", []string{"-c", `tee $MNT/commit < req >/dev/null`}},
	{"dd", "sh", []string{"-c", `dd if=req of=$MNT/commit bs=512 conv=notrunc status=none`}},
	{"dd bs=1", "sh", []string{"-c", `dd if=req of=$MNT/commit bs=1 status=none`}},
	{"jq", "sh", []string{"-c", `jq -c . req > $MNT/commit`}},
	{"python write", "python3", []string{"-c", `
import os
with open(os.environ["MNT"] + "/commit", "w") as f: f.write(open("req").read())`}},
	{"python dump", "python3", []string{"-c", `
import os, json
try: v = json.load(open("req"))
except ValueError: v = None
with open(os.environ["MNT"] + "/commit", "w") as f:
    json.dump(v, f) if v is not None else f.write(open("req").read())`}},
	{"python copyfile", "python3", []string{"-c", `
import os, shutil
shutil.copyfile("req", os.environ["MNT"] + "/commit")`}},
	{"node", "node", []string{"-e", `
const fs = require("fs");
fs.writeFileSync(process.env.MNT + "/commit", fs.readFileSync("req"))`}},
	{"node copyFile", "node", []string{"-e", `require("fs").copyFileSync("req", process.env.MNT + "/commit")`}},
}

// shellCases are requests and what becomes of them: the code in the reply, and
// the errno as tools spell it.
var shellCases = []struct {
	name    string
	request string
	code    string
	errno   []string
}{
	{"valid", `{"action":"add","content":"a valid entry"}`, "", nil},
	{"valid, many lines", "{\n \"action\":\"add\",\n \"content\":\"a valid entry\"\n}\n", "", nil},
	{"secret", `{"action":"add","content":"token SECRET"}`, "rejected", []string{"Operation not permitted", "EPERM", "-1"}},
	{"over the limit", `{"action":"add","content":"` + strings.Repeat("y", 1200) + `"}`, "over_limit", []string{"quota exceeded", "EDQUOT", "-122"}},
	{"unknown field", `{"action":"add","content":"x","colour":"red"}`, "invalid", []string{"Invalid argument", "EINVAL"}},
	{"unknown target", `{"action":"add","content":"x","target":"everywhere"}`, "invalid", []string{"Invalid argument", "EINVAL"}},
	{"replace without match", `{"action":"replace","old":"nothing like it","new":"x"}`, "not_found", []string{"No data available", "ENODATA", "-61"}},
	{"not JSON", `this is not JSON`, "invalid", []string{"Invalid argument", "EINVAL"}},
	{"bad JSON in braces", `{"action":"add" "content":"x"}`, "invalid", []string{"Invalid argument", "EINVAL"}},
}

// TestClients: each client's exit status tells of each failure, nothing is
// stored, and the reason can be read afterwards.
func TestClients(t *testing.T) {
	m := newMount(t, "store:\n  memory_char_limit: 1000\n")
	secret := secretToken()
	for _, c := range clients {
		if _, err := exec.LookPath(c.tool); err != nil {
			t.Logf("%s: not installed, skipped", c.tool)
			continue
		}
		for _, tc := range shellCases {
			if c.name == "jq" && strings.Contains(tc.name, "JSON") {
				continue // jq itself refuses
			}
			t.Run(c.name+"/"+tc.name, func(t *testing.T) {
				m.t = t
				request := strings.ReplaceAll(tc.request, "SECRET", secret)
				if err := os.WriteFile(filepath.Join(m.work, "req"), []byte(request), 0o600); err != nil {
					t.Fatal(err)
				}
				args := []string{c.tool}
				for _, a := range c.args {
					if c.tool == "cp" {
						a = strings.ReplaceAll(a, "$MNT", m.mnt)
					}
					args = append(args, a)
				}
				// The reader is a child of the same shell, as in `echo ... > commit || cat commit`.
				out, _ := m.run(m.work, "", append([]string{"sh", "-c", `"$@" 2>err; echo rc=$?; cat $MNT/commit`, "sh"}, args...)...)
				rc, body, _ := strings.Cut(out, "\n")
				errText, _ := os.ReadFile(filepath.Join(m.work, "err"))
				if (rc == "rc=0") != (tc.code == "") {
					t.Fatalf("%s; stderr %q; reply %s", rc, errText, body)
				}
				checkReply(t, body, tc.code, secret)
				if tc.code != "" {
					checkErrno(t, string(errText), tc.errno)
				}
				snapshot := m.snapshot()
				if want := map[bool]string{true: "a valid entry\n", false: ""}[tc.code == ""]; snapshot != want {
					t.Errorf("snapshot %q, want %q", snapshot, want)
				}
				if tc.code == "" {
					m.must(`rnixfs commit remove "a valid entry"`)
				}
			})
		}
	}
}

func checkReply(t *testing.T, body, code, secret string) {
	t.Helper()
	var reply struct {
		OK    bool
		Code  string
		Error string
		Used  *int
	}
	if err := json.Unmarshal([]byte(body), &reply); err != nil {
		t.Fatalf("the reply is not JSON: %v: %q", err, body)
	}
	if reply.OK != (code == "") || reply.Code != code || (code != "" && reply.Error == "") {
		t.Errorf("reply %s, want code %q", body, code)
	}
	if strings.Contains(body, secret) {
		t.Errorf("the reply shows the secret: %s", body)
	}
}

func checkErrno(t *testing.T, text string, spellings []string) {
	t.Helper()
	for _, s := range append(spellings, "I/O error") { // what dash and busybox print for any errno
		if strings.Contains(strings.ToLower(text), strings.ToLower(s)) {
			return
		}
	}
	t.Errorf("stderr %q names none of %q", text, spellings)
}

// TestCrosstalk: many shells at once, each reading the reply to what it just
// asked. RNIXFS_CROSSTALK_ROUNDS raises the number of rounds.
func TestCrosstalk(t *testing.T) {
	m := newMount(t, "")
	rounds := os.Getenv("RNIXFS_CROSSTALK_ROUNDS")
	if rounds == "" {
		rounds = "30"
	}
	const shells = 64
	script := fmt.Sprintf(`
for s in $(seq %d); do
  (
    i=0
    while [ $i -lt %s ]; do
      i=$((i+1))
      echo '{"action":"get","key":"no-such-'$s-$i'"}' > $MNT/commit 2>/dev/null
      r=$(cat $MNT/commit)
      case $r in
      *'"no-such-'$s-$i'\"'*|*'no-such-'$s-$i'\'*) ;;
      *) echo "shell $s round $i got: $r" ;;
      esac
    done
  ) &
done
wait`, shells, rounds)
	out, rc := m.run(m.work, "", "bash", "-c", "{ "+script+"\n} 2>/dev/null")
	if rc != 0 || out != "" {
		lines := strings.SplitN(out, "\n", 4)
		t.Errorf("exit %d, %d wrong replies, such as:\n%s", rc, strings.Count(out, "\n"), strings.Join(lines[:min(3, len(lines))], "\n"))
	}
}

// TestDescriptors: the ways to hold a device open and talk to it.
func TestDescriptors(t *testing.T) {
	m := newMount(t, "store:\n  memory_char_limit: 400000\n")
	big := strings.Repeat("0123456789", 30_000) // 300 KB
	if err := os.WriteFile(filepath.Join(m.work, "big.json"), []byte(`{"action":"add","key":"big","content":"`+big+`"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct{ script, want string }{
		"exec 3<>": {`exec 3<>$MNT/commit
			echo '{"action":"add","content":"one"}' >&3; read -r a <&3
			echo '{"action":"remove","old":"one"}' >&3; read -r b <&3
			echo "$a" | jq -r .message; echo "$b" | jq -r .message`, "entry added to memory\nentry removed from memory\n"},
		"NDJSON": {`printf '%s\n' '{"action":"add","content":"n1"}' '{"action":"add","content":"n2"}' > $MNT/commit
			rnixfs commit snapshot; rnixfs commit remove n1 >/dev/null; rnixfs commit remove n2 >/dev/null`, "n1\nn2\n"},
		"NDJSON, the second bad": {`printf '%s\n' '{"action":"add","content":"n1"}' '{"action":"nope"}' > $MNT/commit 2>/dev/null; echo rc=$?
			rnixfs commit remove n1 >/dev/null && echo first kept`, "rc=1\nfirst kept\n"},
		"300 KB in one write":   {`cp big.json $MNT/commit && rnixfs commit get key:big | wc -c; rnixfs commit remove key:big >/dev/null`, "300001\n"},
		"300 KB from a builtin": {`x=$(cat big.json); echo "$x" > $MNT/commit && rnixfs commit get key:big | wc -c; rnixfs commit remove key:big >/dev/null`, "300001\n"},
		"too big":               {`{ printf '{"action":"add","content":"'; head -c 500000 /dev/zero | tr '\0' x; printf '"}'; } > huge; cp huge $MNT/commit 2>&1 | grep -o 'Message too long'; jq -r .code < $MNT/commit; rnixfs commit snapshot`, "Message too long\ntoo_big\n"},
		"jq -n":                 {`jq -n '{action:"add",content:"from jq"}' > $MNT/commit && rnixfs commit remove "from jq" | cut -d' ' -f1-4`, "entry removed from memory\n"},
		"one reader per asker":  {`echo '{"action":"capacity"}' > $MNT/commit; jq -r .limit $MNT/commit; jq -r .limit < $MNT/commit`, "400000\n400000\n"},
		"noclobber":             {`set -C; echo '{"action":"capacity"}' >| $MNT/commit && echo '{"action":"capacity"}' >> $MNT/commit && echo ok`, "ok\n"},
		"python r+": {`python3 - <<'P'
import os
with open(os.environ["MNT"] + "/commit", "r+") as f:
    f.write('{"action":"capacity"}'); f.flush(); f.seek(0); print('"limit":400000' in f.read())
P`, "True\n"},
	} {
		t.Run(name, func(t *testing.T) {
			m.t = t
			out, rc := m.run(m.work, "", "bash", "-c", tc.script)
			if rc != 0 || out != tc.want {
				t.Errorf("exit %d, got %q, want %q", rc, out, tc.want)
			}
		})
	}
}

// TestReaders: every way to read a device sees its whole reply.
func TestReaders(t *testing.T) {
	m := newMount(t, "")
	for _, r := range []string{
		"cat @", "cat < @", "busybox cat @", "cp @ out && cat out", "busybox cp @ out && cat out", "head -c 100000 @", "tail -n 5 @",
		"dd if=@ status=none", "dd if=@ bs=7 status=none", "grep . @", "sed -n p @", "awk 1 @", "sort @", "od -An -c -v @ >/dev/null; cat @",
		"jq -c . @", "tar -cf - -C $MNT commit | tar -xOf -", `read -r x < @; printf '%s\n' "$x"`,
		`python3 -c 'print(open("@").read(), end="")'`, `python3 -c 'import shutil; shutil.copyfile("@","out"); print(open("out").read(), end="")'`,
		`python3 -c 'import mmap; f=open("@","rb"); print(mmap.mmap(f.fileno(),0,prot=mmap.PROT_READ)[:].decode(), end="")'`,
		`node -e 'process.stdout.write(require("fs").readFileSync("@"))'`,
		`node -e 'const fs=require("fs"); fs.copyFileSync("@","out"); process.stdout.write(fs.readFileSync("out"))'`,
	} {
		t.Run(r, func(t *testing.T) {
			m.t = t
			if tool := strings.Fields(r)[0]; tool != "read" {
				if _, err := exec.LookPath(tool); err != nil {
					t.Skipf("%s is not installed", tool)
				}
			}
			os.Remove(filepath.Join(m.work, "out"))
			script := `echo '{"action":"capacity"}' > $MNT/commit; ` + strings.ReplaceAll(r, "@", m.mnt+"/commit")
			out, rc := m.run(m.work, "", "bash", "-c", script)
			if want := `{"ok":true,"target":"memory","folder":"` + m.work + `/.rnix/memory","count":0,"used":0,"limit":50000,"remaining":50000}` + "\n"; rc != 0 || out != want {
				t.Errorf("exit %d, got %q", rc, out)
			}
		})
	}
}
