package scanner

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
)

// maxRedactions is how often a text is masked before it is given up: a mask may
// join what stood apart, and show a second secret where the first one hid it.
const maxRedactions = 5

// Redact returns the text with everything masked, as [redacted:rule-id], that
// Scan rejects or wants masked, and secrets and credentials whatever the policy
// says short of off, such that a second Scan finds nothing of these. Its error
// is a *[Failure]: the text could not be cleaned and must not be kept.
func (s *Scanner) Redact(ctx context.Context, text string) (string, error) {
	return s.redact(ctx, text, toMask)
}

// RedactValues is Redact for secrets, credentials and personal data alone: an order or a
// command stays in the text.
func (s *Scanner) RedactValues(ctx context.Context, text string) (string, error) {
	return s.redact(ctx, text, func(rep Report) []Finding {
		return slices.DeleteFunc(toMask(rep), func(f Finding) bool { return !isValue(f.Category) })
	})
}

func (s *Scanner) redact(ctx context.Context, text string, toMask func(Report) []Finding) (string, error) {
	for pass := 0; ; pass++ {
		// There is room for every finding.
		rep, err := s.scan(ctx, []Field{{Text: text}}, len(text)+1)
		if err != nil {
			return "", err
		}
		dirty := toMask(rep)
		if len(dirty) == 0 && !rep.Truncated {
			s.stats.redacted()
			return text, nil
		}
		if pass == maxRedactions || len(dirty) == 0 {
			return "", &Failure{Reason: ReasonRedaction, Err: fmt.Errorf("not clean after %d passes", pass)}
		}
		text = maskFindings(text, dirty)
	}
}

// toMask returns what Redact masks.
func toMask(rep Report) []Finding {
	out := slices.Concat(rep.Findings, rep.Redactions)
	for _, f := range rep.Warnings {
		if f.Category == CategorySecret || f.Category == CategoryCredential {
			out = append(out, f)
		}
	}
	return out
}

// maskFindings replaces the findings' spans; those that touch get one mask.
func maskFindings(text string, list []Finding) string {
	list = slices.Clone(list)
	slices.SortFunc(list, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.span.start, b.span.start), cmp.Compare(b.span.end, a.span.end), cmp.Compare(a.Rule, b.Rule))
	})
	var out strings.Builder
	done := 0
	for i := 0; i < len(list); {
		s, id := list[i].span, list[i].Rule
		for i++; i < len(list) && list[i].span.start <= s.end; i++ {
			s.end = max(s.end, list[i].span.end)
		}
		out.WriteString(text[done:s.start])
		out.WriteString(maskOpen + id + maskClose)
		done = s.end
	}
	out.WriteString(text[done:])
	return out.String()
}
