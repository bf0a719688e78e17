package config

import (
	"encoding/hex"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// setting is one key of memory.yaml.
type setting struct {
	name    string // dotted: "store.memory_char_limit"
	doc     string // lines of text, for the reference
	restart bool   // whether a change waits for the next mount
	// personal is what a project's file must not set: a repository that was cloned
	// can carry one.
	personal bool
	// check says why the value is out of range ("must be > 0 (got -5)"), or
	// nothing.
	check func(c *Config) string
	// show is the value in YAML.
	show func(c *Config) string
}

// section is the part of the name before the dot, or "".
func (s setting) section() string {
	section, _, dotted := strings.Cut(s.name, ".")
	if !dotted {
		return ""
	}
	return section
}

// leaf is the part of the name after the dot, or all of it.
func (s setting) leaf() string {
	return s.name[strings.LastIndexByte(s.name, '.')+1:]
}

// atMount marks a setting that is read once, when the mount is made.
func (s setting) atMount() setting {
	s.restart = true
	return s
}

// ofUser marks a setting that counts in the user's own file only.
func (s setting) ofUser() setting {
	s.personal = true
	return s
}

func scan(name, doc string, at func(*Config) *ScanAction) setting {
	return choice(name, doc, at, ScanReject, ScanRedact, ScanWarn, ScanOff).ofUser()
}

// maxAllowed bounds the exceptions: each is tried on each finding.
const maxAllowed = 200

func allowed(name, doc string, at func(*Config) *[]ScanAllow) setting {
	return setting{
		name: name, doc: doc,
		check: func(c *Config) string {
			if len(*at(c)) > maxAllowed {
				return fmt.Sprintf("must be at most %d exceptions", maxAllowed)
			}
			for i, a := range *at(c) {
				if why := a.fault(); why != "" {
					return fmt.Sprintf("exception %d %s", i+1, why)
				}
			}
			return ""
		},
		show: func(c *Config) string {
			list := make([]string, len(*at(c)))
			for i, a := range *at(c) {
				list[i] = a.String()
			}
			return "[" + strings.Join(list, ", ") + "]"
		},
	}
}

func (a ScanAllow) fault() string {
	switch {
	case strings.TrimSpace(a.Reason) == "":
		return "has no reason"
	case a.Rule == "" && a.Match == "" && a.SHA256 == "":
		return "names no rule, match or sha256"
	case a.SHA256 != "" && !isSHA256(a.SHA256):
		return "has a sha256 that is not 64 hexadecimal digits"
	}
	if _, err := regexp.Compile(a.Match); err != nil {
		return "has a match that is no regular expression"
	}
	return ""
}

func isSHA256(s string) bool {
	b, err := hex.DecodeString(s)
	return err == nil && len(b) == 32
}

// String is the exception in YAML.
func (a ScanAllow) String() string {
	var parts []string
	for _, f := range []struct{ name, value string }{{"rule", a.Rule}, {"match", a.Match}, {"sha256", a.SHA256}, {"reason", a.Reason}} {
		if f.value != "" {
			parts = append(parts, f.name+": "+strconv.Quote(f.value))
		}
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

func boolean(name, doc string, at func(*Config) *bool) setting {
	return setting{
		name: name, doc: doc,
		check: func(*Config) string { return "" },
		show:  func(c *Config) string { return strconv.FormatBool(*at(c)) },
	}
}

func number(name, doc string, least, most int, at func(*Config) *int) setting {
	return setting{
		name: name, doc: doc,
		check: func(c *Config) string {
			switch n := *at(c); {
			case least == 1 && n < 1:
				return fmt.Sprintf("must be > 0 (got %d)", n)
			case n < least || n > most:
				return fmt.Sprintf("must be from %d to %d (got %d)", least, most, n)
			}
			return ""
		},
		show: func(c *Config) string { return strconv.Itoa(*at(c)) },
	}
}

func text(name, doc string, most int, at func(*Config) *string) setting {
	return setting{
		name: name, doc: doc,
		check: func(c *Config) string {
			switch s := *at(c); {
			case len([]rune(s)) > most:
				return fmt.Sprintf("must be at most %d characters", most)
			case strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) }):
				return "must be printable, on one line"
			}
			return ""
		},
		show: func(c *Config) string { return strconv.Quote(*at(c)) },
	}
}

// address is a text that is empty or the address of a server, without a password:
// what is printed of it is nobody's secret.
func address(name, doc string, at func(*Config) *string) setting {
	s := text(name, doc, 500, at)
	inRange := s.check
	s.check = func(c *Config) string {
		if why := inRange(c); why != "" || *at(c) == "" {
			return why
		}
		u, err := url.Parse(*at(c))
		switch {
		case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
			return "must be an address that begins with http:// or https://"
		case u.User != nil || u.RawQuery != "":
			return "must have no password and no query; the key goes into the variable that llm.api_key_env names"
		}
		return ""
	}
	return s
}

func duration(name, doc string, least, most time.Duration, at func(*Config) *time.Duration) setting {
	return setting{
		name: name, doc: doc,
		check: func(c *Config) string {
			if d := *at(c); d < least || d > most {
				return fmt.Sprintf("must be from %s to %s (got %s)", short(least), short(most), short(d))
			}
			return ""
		},
		show: func(c *Config) string { return short(*at(c)) },
	}
}

func choice[T ~string](name, doc string, at func(*Config) *T, options ...T) setting {
	words := make([]string, len(options))
	for i, o := range options {
		words[i] = string(o)
	}
	last := len(words) - 1
	must := "must be " + strings.Join(words[:last], ", ") + " or " + words[last]
	return setting{
		name: name, doc: doc,
		check: func(c *Config) string {
			if slices.Contains(options, *at(c)) {
				return ""
			}
			return must + " (got " + shown(string(*at(c))) + ")"
		},
		show: func(c *Config) string { return string(*at(c)) },
	}
}

// shown is a wrong value as a message has it: a short word as it is. Anything else
// may be what went into the file by mistake, such as a key, and messages are logged.
func shown(s string) string {
	word := !strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsLetter(r) && r != '_' && r != '-' })
	if n := len([]rune(s)); n > 20 || !word {
		return fmt.Sprintf("a text of %d characters", n)
	}
	return strconv.Quote(s)
}

// short is d as people write it: 10m, not 10m0s.
func short(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}
