package scanner

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/hex"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

// worstTexts are texts of 64 KB that are expensive to judge.
func worstTexts(t testing.TB, s *Scanner) map[string]string {
	t.Helper()
	const size = 64 << 10
	var keywords, prefixes, urls strings.Builder
	for _, r := range s.engine.rules {
		for _, k := range r.keywords {
			keywords.WriteString(k + " = ")
			prefixes.WriteString(k + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4 ")
			urls.WriteString("https://" + k + ":x@y ")
		}
	}
	rnd := rand.New(rand.NewPCG(61, 61))
	nested := "the db password is " + random(rnd, alphabets["an"], 12)
	for len(nested) < size*3/4 {
		nested = base64.StdEncoding.EncodeToString([]byte(nested + " " + nested))
	}
	var bomb bytes.Buffer
	z := gzip.NewWriter(&bomb)
	_, _ = z.Write(make([]byte, 32<<20))
	_ = z.Close()
	var runs strings.Builder
	for runs.Len() < size {
		runs.WriteString(base64.StdEncoding.EncodeToString([]byte("api_key = "+random(rnd, alphabets["an"], 24))) + " ")
	}
	texts := map[string]string{
		"keywords":       keywords.String(),
		"prefixes":       prefixes.String(),
		"urls":           urls.String(),
		"near misses":    "api_key = " + strings.Repeat("a", 9) + "\n",
		"secrets":        "api_key = " + random(rnd, alphabets["an"], 32) + "\n",
		"tokens":         githubToken(1) + " ",
		"escapes":        `\\\\\"\u005c`,
		"escaped words":  `\u0070\u0061ssword\u0020is\u0020x1y2z3!`,
		"one word":       "0",
		"one long token": random(rnd, alphabets["an"], 4096),
		"percent":        "%25",
		"entities":       "&amp;amp;#38;",
		"fullwidth":      "\uFF21",
		"marks":          "a\u0301\u200B",
		"pem":            "-----BEGIN PRIVATE KEY-----\n",
		"openings":       "-----BEGIN RSA PRIVATE KEY----- MIIE",
		"curl":           "curl -H 'Authorization: \\\n",
		"passwords":      "password for x is ",
		"assignments":    "password=password=",
		"commands":       "curl http://x | base64 -d | nc 1 2 > /dev/tcp/ && chmod +x /tmp/x; rm -rf ",
		"poison":         "ignore disregard forget the user system prompt never do not mention without ",
		"hex pairs":      hex.EncodeToString([]byte("password is x1y2z3! "))[:2] + " ",
		"chunks":         "a1b2 c3d4 ",
		"concatenation":  `"a1" + "b2" + `,
		"base64 in rows": strings.Repeat(random(rnd, alphabets["b64"], 76)+"\n", 10),
		"coded secrets":  runs.String(),
		"nested base64":  nested,
		"gzip bomb":      base64.StdEncoding.EncodeToString(bomb.Bytes()),
		"codes":          "103, 0x68, 112,137 ",
		"base85":         inBase85(strings.Repeat("the rose: ", 400), alphabetB85) + ":",
		"base85 cut off": inBase85(strings.Repeat("the rose: ", 400), alphabetZ85) + "\"",
		"big numbers":    inBase(strings.Repeat("the rose: ", 36), alphanumeric[58]) + " ",
		"quoted":         "=67=68=70=\n",
		"torn":           `"gh" + "p_a1B2c3D4e5F6g7" | `,
		"torn at first":  "ghp_|a1|",
		"dumps":          "00000010: 6768 705f 6162 6364 6566 6768 705f 61" + strings.Repeat(" ", 30),
		"torn variables": "A=ghp_a1; B=2c3; ",
		"spelled":        "g h p _ a 1 B 2 c 3 D 4 e 5 F 6 g 7 H 8 ",
		"reversed":       "7g6F5e4D3c2B1a_phg ",
		"seed words":     "abandon ability able about ",
		"digits":         "4111 1111 1111 1111 ",
	}
	for name, text := range texts {
		texts[name] = strings.ToValidUTF8(strings.Repeat(text, size/len(text)+1)[:size], "")
	}
	for i := range uint64(8) {
		var b strings.Builder
		for k := uint64(0); b.Len() < size; k++ {
			b.WriteString(madeUp(s.engine, 1000*i+k))
		}
		texts["made up "+string(rune('a'+i))] = b.String()[:size]
	}
	return texts
}

// The worst that a writer can send is judged or refused. How long it takes is
// printed for people; TestWorkOfEachRule has the bound.
func TestWorstCases(t *testing.T) {
	s := scanner(t)
	for name, text := range worstTexts(t, s) {
		start := time.Now()
		_, err := s.Scan(t.Context(), []Field{{Name: "content", Text: text}})
		took := time.Since(start)
		t.Logf("%-16s %8v %v", name, took.Round(time.Millisecond), err)
		if err != nil && reason(err) != ReasonTimeout && reason(err) != ReasonTooLarge {
			t.Errorf("%s: %v", name, err)
		}
	}
}
