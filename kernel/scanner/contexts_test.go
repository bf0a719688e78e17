package scanner

import (
	"fmt"
	"strings"
	"testing"
)

// Tokens of vendors in the contexts in which people write them, with and without a
// prefix. (A random value alone, with nothing around it, is none that can be told.)
func TestContexts(t *testing.T) {
	s := scanner(t)
	ctxs := []string{
		"%s",
		"%N_TOKEN=%s",
		"export %N_TOKEN=\"%s\"",
		"%n_token: %s",
		"{\"%n_token\": \"%s\", \"region\": \"eu-west-1\"}",
		"Use %s for the %V API when running staging jobs",
		"The %V key for staging is %s.",
		"We have two %V keys, %s, and one that Ana keeps.",
		"The CI job talks to %V with its own key (%s) since March",
		"- %V: `%s` rotate monthly",
		"| %V | %s | staging |",
		"%V key: **%s**",
		"client = Client(\"%s\", timeout=30)",
		"curl https://api.example.org/v1/items?key=%s&limit=5",
		"curl -H \"Authorization: Bearer %s\" https://api.example.org/v1/me",
		"<token>%s</token>",
		"keys=[%s]",
	}
	forms := map[string]string{
		"GitHub":     "ghp_{{an:36}}",
		"GitLab":     "glpat-{{an:20}}",
		"OpenAI":     "sk-{{an:20}}T3BlbkFJ{{an:20}}",
		"Cohere":     "{{an:40}}",
		"Mistral":    "{{an:32}}",
		"Databricks": "dapi{{hex:32}}",
		"Docker":     "dckr_pat_{{b64u:27}}",
		"Cloudflare": "{{b64u:40}}",
		"Datadog":    "{{hex:32}}",
		"Pinecone":   "pcsk_{{an:6}}_{{an:60}}",
		"Sentry":     "sntrys_eyJ{{b64:100}}",
		"Okta":       "00{{b64u:40}}",
		"Mailchimp":  "{{hex:32}}-us12",
		"PayPal":     "A21AA{{b64u:90}}",
		"Twitch":     "{{lan:30}}",
		"AWSSecret":  "{{b64:40}}",
		"JWT":        "eyJhbGciOiJIUzI1NiJ9.eyJ{{b64u:40}}.{{b64u:43}}",
		"Fastly":     "{{an:32}}",
		"Algolia":    "{{hex:32}}",
		"Kraken":     "{{b64:86}}==",
		"Webhook":    "https://hooks.slack.com/services/T{{AN:8}}/B{{AN:8}}/{{an:24}}",
		"Teams":      "https://acme.webhook.office.com/webhookb2/{{hex:8}}-{{hex:4}}-{{hex:4}}-{{hex:4}}-{{hex:12}}@{{hex:8}}-{{hex:4}}-{{hex:4}}-{{hex:4}}-{{hex:12}}/IncomingWebhook/{{hex:32}}/{{hex:8}}-{{hex:4}}-{{hex:4}}-{{hex:4}}-{{hex:12}}",
		"Telegram":   "{{dg:10}}:AA{{b64u:33}}",
		"Buildkite":  "bkua_{{hex:40}}",
		"Postman":    "PMAK-{{hex:24}}-{{hex:34}}",
		"Airbrake":   "{{hex:32}}",
		"Snyk":       "{{hex:8}}-{{hex:4}}-4{{hex:3}}-a{{hex:3}}-{{hex:12}}",
		"Honeycomb":  "hcaik_{{lan:58}}",
		"Dynatrace":  "dt0c01.{{AN:24}}.{{AN:64}}",
		"Infura":     "{{hex:32}}",
	}
	tot, hit := 0, 0
	for v, f := range forms {
		var miss []string
		for i, c := range ctxs {
			text := expand(strings.NewReplacer("%s", f, "%V", v, "%N", strings.ToUpper(v), "%n", strings.ToLower(v)).Replace(c))
			tot++
			if len(scanText(t, s, text).Findings) > 0 {
				hit++
			} else {
				miss = append(miss, fmt.Sprint(i))
			}
		}
		if len(miss) > 0 {
			t.Logf("%s: %s is missed in contexts %v", v, f, miss)
		}
	}
	t.Logf("%d of %d", hit, tot)
	if hit*100 < tot*95 {
		t.Errorf("%d of %d found, want 95 %%", hit, tot)
	}
}
