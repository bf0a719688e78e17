package rules_test

import (
	"testing"

	"github.com/rnixfs/rnixfs/kernel/process"
	"github.com/rnixfs/rnixfs/kernel/writeback/rules"
)

func TestCommands(t *testing.T) {
	for _, r := range []struct {
		turns []string
		want  string
	}{
		{[]string{"x Bash(npm test)\nsh: npm: command not found", "t Bash(pnpm test)\nok"}, "`npm test` fails here (command not found); `pnpm test` works."},
		{[]string{"t bash(python run.py)\n/bin/sh: python: not found", "t Read(a)\nb", "t bash(python3 run.py)\n42"}, "`python run.py` fails here (command not found); `python3 run.py` works."},
		{[]string{"x Bash(command: pip install -e ., description: install)\nerror: externally-managed-environment", "t Bash(command: pip install --break-system-packages -e ., description: again)\nok"}, "`pip install -e .` fails here (externally managed environment); `pip install --break-system-packages -e .` works."},
		{[]string{"x Bash(cd /srv && npm run tests)\nnpm ERR! Missing script: tests", "t Bash(npm run test:unit)\nok"}, ""},
		{[]string{"x Bash(npm run tests)\nnpm ERR! Missing script: tests", "t Edit(package.json)\nok", "t Bash(npm run test:unit)\nok"}, ""},
		{[]string{"x Bash(npm run tests)\nnpm ERR! Missing script: tests", "t Bash(git apply fix.patch)\nok", "t Bash(sed -i s/a/b/ package.json > log)", "t Bash(npm run test:unit)\nok"}, ""},
		{[]string{"x Bash(npm run tests)\nnpm ERR! Missing script: tests", "u I have added a script", "t Bash(npm run test:unit)\nok"}, ""},
		{[]string{"x Bash(pip install black)\npip: command not found", "t Bash(apt-get install black)\nok"}, ""},
		{[]string{"x Bash(cd /srv && npm run tests)\nnpm ERR! Missing script: tests", "t Bash(cd /srv && npm run test:unit)\nok"}, "`npm run tests` fails here (unknown subcommand); `npm run test:unit` works."},
		{[]string{`x exec_command(["bash", "-lc", "docker-compose up -d"])` + "\ndocker-compose: command not found", "t exec_command(docker compose up -d)\nok"}, "`docker-compose up -d` fails here (command not found); `docker compose up -d` works."},
		{[]string{`x shell(command: ["bash","-lc","python -c \"import os; print(1)\""], workdir: /w)` + "\nbash: python: command not found", `t shell(command: ["bash","-lc","python3 -c \"import os; print(1)\""], workdir: /w)` + "\n1"}, "`python -c \"import os; print(1)\"` fails here (command not found); `python3 -c \"import os; print(1)\"` works."},
		// The same command works later: the code was mended.
		{[]string{"x Bash(go test ./...)\nFAIL", "t Bash(go test ./...)\nok"}, ""},
		// Its tests failed; a narrower run did not.
		{[]string{"x Bash(go test ./...)\n--- FAIL: TestX", "t Bash(go test ./a)\nok"}, ""},
		{[]string{"x Bash(cat nothere.txt)\nNo such file or directory", "t Bash(cat here.txt)\nhi"}, ""},
		{[]string{"x Bash(python a.py)\npython: can't open file 'a.py': No such file or directory", "t Bash(python b.py)\nhi"}, ""},
		{[]string{"x Bash(npm test)\nnpm: command not found", "t Bash(ls)\na b"}, ""},
		{[]string{"x Bash(npm test)\nnpm: command not found", "t Bash(git status)\nclean"}, ""},
		{[]string{"t Bash(npm test)\nok", "t Bash(pnpm test)\nok"}, ""},
		{[]string{"x Edit(npm test)\nno", "t Edit(pnpm test)\nok"}, ""},
	} {
		got := rules.Extract(talk(append([]string{"u run the tests"}, r.turns...)...))
		switch {
		case r.want == "" && len(got) > 0:
			t.Errorf("%q teaches %q", r.turns, got[0].Content)
		case r.want != "" && (len(got) != 1 || got[0].Content != r.want || got[0].Category != rules.Command || len(got[0].Turns) != 2):
			t.Errorf("%q: got %v, want %q", r.turns, got, r.want)
		}
	}
}

// TestCommandsAsTold are those that came through the process device.
func TestCommandsAsTold(t *testing.T) {
	const npm = "`npm test` fails here (command not found); `pnpm test` works."
	type turn struct {
		tool, content string
		failed        bool
	}
	for name, r := range map[string]struct {
		turns []turn
		want  string
	}{
		"with a dollar":        {[]turn{{"Bash", "$ npm test\nsh: npm: not found", true}, {"Bash", "$ pnpm test\nok", false}}, npm},
		"of no tool":           {[]turn{{"", "$ npm test\nsh: npm: not found", true}, {"", "$ pnpm test\nok", false}}, npm},
		"without the flag":     {[]turn{{"Bash", "$ npm test\nsh: npm: not found", false}, {"Bash", "$ pnpm test", false}}, npm},
		"plain":                {[]turn{{"Bash", "npm test\nsh: npm: not found", true}, {"shell", "pnpm test\nok", false}}, npm},
		"no reason":            {[]turn{{"Bash", "make test", true}, {"Bash", "just test", false}}, ""},
		"JSON":                 {[]turn{{"Bash", `{"command":"npm test"}` + "\nsh: npm: not found", true}, {"Bash", `{"command":"pnpm test"}`, false}}, npm},
		"JSON, no tool":        {[]turn{{"", `{"cmd":"npm test"}` + "\nsh: npm: not found", true}, {"", `{"command":"pnpm test"}`, false}}, npm},
		"JSON with its answer": {[]turn{{"Bash", `{"command":"npm test","stderr":"sh: npm: not found","exit_code":127}`, false}, {"Bash", `{"command":["bash","-lc","pnpm test"],"exit_code":0}`, false}}, npm},
		// An answer that was told without its call is no command.
		"answers alone":    {[]turn{{"Bash", "npm ERR! Missing script: test", true}, {"Bash", "pnpm test passed.", false}}, ""},
		"prose":            {[]turn{{"Bash", "npm test", true}, {"Bash", "evil test ran", false}}, ""},
		"a file":           {[]turn{{"Read", "$ npm test\nsh: npm: not found", true}, {"Read", "$ pnpm test\nok", false}}, ""},
		"a page":           {[]turn{{"", "npm test\nsh: npm: not found", true}, {"", "pnpm test\nok", false}}, ""},
		"an editor's":      {[]turn{{"edit", `{"command":"npm test"}`, true}, {"edit", `{"command":"pnpm test"}`, false}}, ""},
		"it goes on":       {[]turn{{"Bash", "$ npm test \\\n  --all\nsh: npm: not found", true}, {"Bash", "$ pnpm test", false}}, ""},
		"no command in it": {[]turn{{"Bash", `{"command":7}`, true}, {"Bash", `{"command":"pnpm test"}`, false}}, ""},
		"of several lines": {[]turn{{"Bash", `{"command":"npm test\nls"}`, true}, {"Bash", `{"command":"pnpm test"}`, false}}, ""},
		"torn":             {[]turn{{"Bash", `{"command":"npm te`, true}, {"Bash", "$ pnpm test", false}}, ""},
		"further down":     {[]turn{{"Bash", "ok\n$ npm test\nsh: npm: not found", true}, {"Bash", "ok\n$ pnpm test", false}}, ""},
	} {
		c := talk("u run the tests")
		for i, turn := range r.turns {
			c.Turns = append(c.Turns, process.Turn{ID: string(rune('x' + i)), Role: process.RoleTool, Tool: turn.tool, Content: turn.content, Failed: turn.failed})
		}
		got := rules.Extract(c)
		if r.want == "" && len(got) > 0 || r.want != "" && (len(got) != 1 || got[0].Content != r.want || len(got[0].Turns) != 2) {
			t.Errorf("%s: got %v, want %q", name, got, r.want)
		}
	}
}
