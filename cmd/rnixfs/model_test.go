package main_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// TestModelThroughMount has a model learn from a conversation. It is told no secret,
// and what it makes up in place of an answer does no harm.
func TestModelThroughMount(t *testing.T) {
	token := secretToken()
	var mu sync.Mutex
	var asked []string
	answer := `{"operations":[{"action":"add","text":"The cache lives on host kiln.","category":"fact","worth":3,"turn":1,"quote":"the cache is on kiln"}],
		"summary":{"title":"A cache","asked":"Where things are.","open":"The oven."}}`
	answer2 := strings.Replace(answer, "host kiln", "host kiln two", 1)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		mu.Lock()
		defer mu.Unlock()
		asked = append(asked, r.Header.Get("Authorization")+" "+string(body))
		words, _ := json.Marshal(answer)
		_, _ = io.WriteString(w, `{"choices":[{"message":{"content":`+string(words)+`},"finish_reason":"stop"}],"usage":{"total_tokens":100}}`)
	}))
	defer s.Close()
	says := func(text string) {
		mu.Lock()
		defer mu.Unlock()
		answer, asked = text, nil
	}
	needFuse(t)
	m := newFolders(t, "")
	config := filepath.Join(m.dir, "home", ".config", "rnix", "memory.yaml")
	if err := os.MkdirAll(filepath.Dir(config), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(config, []byte("llm: {base_url: "+s.URL+"/v1, api_key_env: MODEL_KEY}\nwriteback: {trigger_threshold: 0}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	m.env = append(m.env, "MODEL_KEY=the-key")
	m.mount()
	t.Cleanup(func() { unmount(m.mnt) })
	talk := func(session, text string) {
		t.Helper()
		m.must(`printf '{"action":"turn","session":"` + session + `","role":"user","content":"` + text + `"}{"action":"end","session":"` + session + `"}' > $MNT/process
			for i in $(seq 1500); do [ "$(jq .writeback.queue $MNT/status)" = 0 ] && exit 0; sleep 0.02; done; exit 1`)
	}
	talk("1", "the token is "+token+", and the cache is on kiln. Please remember that we deploy on Mondays.")
	if got := m.snapshot(); !strings.Contains(got, "host kiln") || !strings.Contains(got, "eploy on Mondays") || !strings.Contains(got, "Open: The oven.") {
		t.Errorf("remembered %q", got)
	}
	mu.Lock()
	if len(asked) != 1 || strings.Contains(asked[0], token) || !strings.HasPrefix(asked[0], "Bearer the-key ") {
		t.Errorf("asked %q", asked)
	}
	mu.Unlock()
	says("I'd rather not.")
	m.must(`printf '{"action":"turn","session":"2","role":"user","content":"From now on, always run make lint: the cache is on kiln."}{"action":"end","session":"2"}' > $MNT/process`)
	m.waitFor(`rnixfs writeback list --json | jq -r '.[] | select(.state == "waiting").reason'`, "the answer is not the JSON that was asked for\n")
	m.must(`rnixfs doctor | grep -A1 'warn *writeback' | grep -q 'the answer is not the JSON'`)
	says(answer2)
	m.must(`rnixfs writeback retry $(rnixfs writeback list --json | jq -r '.[] | select(.state == "waiting").id')`)
	m.waitFor(`rnixfs commit snapshot | grep -c 'host kiln two'`, "1\n")
	if out, _ := m.sh(`grep -rl the-key "$HOME" .rnix`); out != "" {
		t.Errorf("the key is in %s", out)
	}
}
