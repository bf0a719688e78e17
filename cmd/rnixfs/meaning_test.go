package main_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// TestMeaningThroughMount has a mount find what is said in other words. The server is told
// no secret, nothing before it is configured, and its absence costs nothing but that.
func TestMeaningThroughMount(t *testing.T) {
	token := secretToken()
	var mu sync.Mutex
	var asked []string
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var body struct{ Input []string }
		_ = json.NewDecoder(r.Body).Decode(&body)
		mu.Lock()
		defer mu.Unlock()
		asked = append(asked, body.Input...)
		var data []map[string]any
		for i, text := range body.Input {
			v := []float64{0.1, 0.1}
			if strings.Contains(text, "puppy") || strings.Contains(text, "dog") {
				v[0] = 1
			}
			data = append(data, map[string]any{"index": i, "embedding": v})
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"data": data})
	}))
	defer s.Close()
	needFuse(t)
	m := newFolders(t, "")
	config := filepath.Join(m.dir, "home", ".config", "rnix", "memory.yaml")
	if err := os.MkdirAll(filepath.Dir(config), 0o700); err != nil {
		t.Fatal(err)
	}
	configure := func(text string) {
		t.Helper()
		if err := os.WriteFile(config, []byte("scanner: {secret: warn}\n"+text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	configure("")
	m.mount()
	t.Cleanup(func() { unmount(m.mnt) })
	m.must(`echo '{"action":"add","content":"We adopted a puppy."}' > $MNT/commit
		echo '{"action":"add","content":"The port in the house is 80, by ` + token + `."}' > $MNT/commit
		printf '{"action":"turn","session":"1","role":"user","content":"the puppy sleeps in the kitchen, key ` + token + `"}' > $MNT/process`)
	found := `rnixfs recall --json 'dog in the house' | jq -c '[.meaning, (.results | length)]'`
	m.waitFor(found, "[null,1]\n")
	mu.Lock()
	if len(asked) > 0 {
		t.Errorf("asked without being configured: %q", asked)
	}
	mu.Unlock()
	configure("recall: {embeddings: {base_url: '" + s.URL + "/v1', model: m, query_prefix: 'query: '}}\n")
	m.waitFor(found, `["used",3]`+"\n")
	m.waitFor(`jq -c .meaning $MNT/status`, `{"embedded":3,"total":3}`+"\n")
	m.must(`rnixfs doctor | grep -A1 'ok *meaning' | grep -q '3 of 3'`)
	mu.Lock()
	all := strings.Join(asked, "\n")
	if strings.Contains(all, token) || !strings.Contains(all, "query: dog in the house") || !strings.Contains(all, "puppy sleeps") {
		t.Errorf("asked %q", asked)
	}
	mu.Unlock()
	m.must(`rnixfs commit remove 'We adopted a puppy.'`)
	m.waitFor(`rnixfs recall --json 'dog in the house' | jq -r '.results[].snippet' | grep -c adopted`, "0\n")
	s.Close()
	m.waitFor(`rnixfs recall --json 'port in a house' | jq -c '[.meaning, (.results | length)]'`, `["away",1]`+"\n")
	m.must(`rnixfs doctor | grep -A1 'warn *meaning' | grep -q unavailable`)
}
