package knowledge

import (
	"cmp"
	"strconv"
	"strings"
	"unicode"
)

// Manual cuts the source of a manual page at .SH and .SS, in the macros of man(7) or
// mdoc(7). What it makes of the rest is words to be found, not a page to be read: tables
// lose their lines, and macros of the page's own their meaning.
func Manual(source string) []Section {
	r := &roff{most: 2*len(source) + 64}
	for line := range strings.Lines(source) {
		r.line(strings.TrimRight(line, "\r\n"))
	}
	return cut(r.out.String(), r.starts)
}

// roff reads the lines of a source, each once.
type roff struct {
	out     strings.Builder
	most    int // bytes of out
	starts  []start
	until   string // the line that ends what is passed over
	heading bool   // the next line of text is one
	format  bool   // of a table, up to a line with a full stop at its end
	name    string // by the first .Nm
}

// write adds what a line says, unless there is too much.
func (r *roff) write(words string) {
	if words = strings.TrimSpace(strings.ToValidUTF8(words, "")); words == "" || r.out.Len()+len(words)+1 > r.most {
		return
	}
	if r.heading {
		r.heading = false
		r.starts = append(r.starts, start{r.out.Len(), words})
	}
	r.out.WriteString(words + "\n")
}

func (r *roff) line(line string) {
	switch {
	case r.until != "":
		if strings.HasPrefix(strings.TrimLeft(line, " '"), r.until) {
			r.until = ""
		}
	case r.format:
		r.format = !strings.HasSuffix(strings.TrimSpace(line), ".")
	case line == "T{", line == "T}":
	case line == "" || line[0] != '.' && line[0] != '\'':
		r.write(plain(strings.ReplaceAll(line, "\t", " ")))
	default:
		name, rest, _ := strings.Cut(strings.TrimLeft(line[1:], " \t"), " ")
		r.request(name, strings.TrimSpace(rest))
	}
}

// request does what a line says that begins with a control character.
func (r *roff) request(name, rest string) {
	switch name {
	case "SH", "SS", "Sh", "Ss":
		r.heading = true
		r.write(strings.Join(arguments(rest), " "))
	case "de", "de1", "am":
		r.until = ".."
	case "ig":
		r.until = "." + cmp.Or(rest, ".")
	case "EQ":
		r.until = ".EN"
	case "TS", "T&":
		r.format = true
	case "if", "ie": // n holds: this is no typesetter
		condition, then, _ := strings.Cut(rest, " ")
		then = strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(then), `\{`))
		if condition == "n" && then != `\` && !strings.HasPrefix(then, ".i") {
			r.line(then)
		}
	case "B", "I", "SM", "SB", "UR", "MT", "SY", "OP", "TQ", "IP":
		args := arguments(rest)
		if name == "IP" && len(args) > 1 {
			args = args[:1] // the second is a width
		}
		r.write(strings.Join(args, " "))
	case "BI", "BR", "IB", "IR", "RB", "RI":
		r.write(strings.Join(arguments(rest), ""))
	default:
		if callable(name) {
			r.mdoc(name, arguments(rest))
		}
	}
}

// macros are those of mdoc(7) whose arguments are text.
const macros = " Ad An Ao Ap Aq Ac Ar At Bo Bq Bc Brq Bsx Bx Cd Cm D1 Dl Do Dq Dc Dv Em Er Ev Fa Fl Fn Fo Fr Ft Fx Ic In It Lb Li Lk Ms Mt Nd Nm No Ns Nx Oo Op Oc Ot Ox Pa Pf Po Pq Pc Ql Qo Qq Qc Rs Sq So Sc St Sx Sy Tn Ux Va Vt Xo Xr Xc %A %B %D %J %N %O %R %T %U %V "

func callable(name string) bool { return strings.Contains(macros, " "+name+" ") }

// mdoc writes the words of a line of mdoc(7): names of macros among them are none.
func (r *roff) mdoc(name string, args []string) {
	var b strings.Builder
	joined := true // with what is before
	add := func(word string) {
		if !joined && (len(word) > 1 || !strings.Contains(".,:;)]?!", word)) {
			b.WriteByte(' ')
		}
		joined = false
		b.WriteString(word)
	}
	if name == "Nm" && (len(args) == 0 || callable(args[0])) && r.name != "" {
		add(r.name)
	}
	words := append([]string{name}, args...)
	for i := 0; i < len(words); i++ {
		switch w := words[i]; {
		case w == "":
		case w == "Fl":
			add("-")
			joined = true
		case w == "Ns" || w == "Ap":
			joined = true
		case w == "Xr" && i+2 < len(words):
			add(words[i+1] + "(" + words[i+2] + ")")
			i += 2
		case !callable(w):
			add(w)
			if name == "Nm" && r.name == "" {
				r.name = w[:min(len(w), 64)]
			}
		}
	}
	r.write(b.String())
}

// arguments cuts the words of a macro; quotes keep several together.
func arguments(rest string) []string {
	var out []string
	for rest = strings.TrimLeft(rest, " \t"); rest != "" && !strings.HasPrefix(rest, `\"`); rest = strings.TrimLeft(rest, " \t") {
		var word string
		if rest[0] == '"' {
			word, rest, _ = strings.Cut(rest[1:], `"`)
		} else {
			n := 0
			for n < len(rest) && (rest[n] != ' ' && rest[n] != '\t' || n > 0 && rest[n-1] == '\\') {
				n++
			}
			word, rest = rest[:n], rest[n:]
		}
		out = append(out, plain(word))
	}
	return out
}

// glyphs are the special characters that are not left out (groff_char(7)).
var glyphs = map[string]string{
	"em": "—", "en": "–", "hy": "-", "bu": "•", "lq": "“", "rq": "”", "oq": "‘", "cq": "’", "aq": "'", "dq": `"`, "ga": "`", "ha": "^", "ti": "~",
	"rs": `\`, "co": "©", "rg": "®", "tm": "™", "mu": "×", ">=": "≥", "<=": "≤", "!=": "≠", "->": "→", "<-": "←", "+-": "±", "at": "@", "sh": "#",
	"Fo": "«", "Fc": "»", "ss": "ß", "de": "°", "ba": "|", "lB": "[", "rB": "]", "Aq": "'", "Tm": "™", "R": "®", "sl": "/", "eu": "€", "Po": "£",
}

func glyph(name string) string {
	if g, ok := glyphs[name]; ok {
		return g
	}
	if hex, ok := strings.CutPrefix(name, "u"); ok {
		if c, err := strconv.ParseUint(hex, 16, 20); err == nil && unicode.IsPrint(rune(c)) {
			return string(rune(c))
		}
	}
	if len(name) == 2 && strings.Contains("'`^:~,o/v", name[:1]) {
		return name[1:] // with an accent
	}
	return ""
}

// plain is a text without its escapes.
func plain(s string) string {
	var b strings.Builder
	for {
		before, rest, escape := strings.Cut(s, `\`)
		b.WriteString(before)
		if !escape || rest == "" {
			return b.String()
		}
		c := rest[0]
		var name string
		s = rest[1:]
		switch {
		case c == '"' || c == '#': // a comment
			return b.String()
		case c == 'e' || c == '\\':
			b.WriteByte('\\')
		case strings.IndexByte("-.'`", c) >= 0:
			b.WriteByte(c)
		case strings.IndexByte(" ~0t", c) >= 0:
			b.WriteByte(' ')
		case c == '(' || c == '[':
			name, s = argument(rest)
			b.WriteString(glyph(name))
		case c == '*':
			name, s = argument(s)
			b.WriteString(glyph(name))
		case c == 's': // a size
			_, s = argument(strings.TrimLeft(s, "+-"))
			s = strings.TrimPrefix(s, "0") // of 10, 20 and 30
		case strings.IndexByte("fFgkmMnVY", c) >= 0:
			_, s = argument(s)
		case strings.IndexByte("hvwlLDboxXNSHABRZ", c) >= 0 && s != "":
			_, s, _ = strings.Cut(s[1:], s[:1])
		}
	}
}

// argument takes the name that belongs to an escape.
func argument(s string) (name, rest string) {
	switch {
	case s == "":
		return "", ""
	case s[0] == '(' && len(s) >= 3:
		return s[1:3], s[3:]
	case s[0] == '[':
		name, rest, _ = strings.Cut(s[1:], "]")
		return name, rest
	}
	return s[:1], s[1:]
}
