package rules

import "strings"

// What people do that is worth telling: the base forms of the regular verbs, and
// of the irregular ones base, past and participle.
const (
	regularActs = `accept achieve acquire adopt apply appear arrange arrive assemble attend audition bake bike blog board book borrow
		brew cancel camp campaign capture carve celebrate change chop clean climb coach code collaborate collect
		compete complete compose conduct contribute convert cook craft create crochet cultivate customize cycle dance date debut decorate
		deliver demo design develop direct discover dive divorce donate download dress dye earn edit emigrate enlist enrol enroll enter
		exercise exhibit expand experiment explore fast film finish fish fix flunk foster frame fundraise gain garden
		gather golf graduate grill guest guide harvest hike hire host hunt immigrate improve inherit injure install intern interview
		introduce invent invest jam jog join juggle kayak knit land launch lead lease lecture lift major manage march marry master
		mediate meditate mentor migrate mix model move name nurse obtain open operate order organise organize own pack paddle paint
		participate partner pass perform photograph pick pitch plan plant play polish post practice practise prepare present print
		produce program promote propose publish purchase pursue qualify quilt race raise receive record recover redecorate refurbish register
		rehearse reconnect redesign rediscover rejoin relocate remodel rewatch revisit reunite renovate rent repair replace rescue research reserve resign restore retire return review row sail
		sample save scale score sculpt secure serve shop sign skate sketch ski skydive snorkel snowboard solve sprain stage start
		stay stream stroll study submit supervise surf survive switch tackle taste team test tour train transfer transition
		translate travel try tutor unplug undergo unveil update upgrade vacation visit volunteer walk watch weave welcome witness work
		workout wrap`
	irregularActs = `become/became/become begin/began/begun break/broke/broken breed/bred/bred bring/brought/brought build/built/built
		buy/bought/bought catch/caught/caught choose/chose/chosen do/did/done draw/drew/drawn drive/drove/driven
		eat/ate/eaten fall/fell/fallen feed/fed/fed fight/fought/fought find/found/found fly/flew/flown get/got/gotten give/gave/given
		go/went/gone grow/grew/grown hang/hung/hung have/had/had hold/held/held hurt/hurt/hurt keep/kept/kept lead/led/led
		learn/learnt/learnt leave/left/left lose/lost/lost make/made/made meet/met/met pay/paid/paid put/put/put quit/quit/quit
		read/read/read ride/rode/ridden run/ran/run see/saw/seen sell/sold/sold send/sent/sent set/set/set sew/sewed/sewn
		shoot/shot/shot sing/sang/sung sit/sat/sat speak/spoke/spoken spend/spent/spent stand/stood/stood swim/swam/swum
		take/took/taken teach/taught/taught tear/tore/torn throw/threw/thrown undergo/underwent/undergone wear/wore/worn retake/retook/retaken rewrite/rewrote/rewritten rebuild/rebuilt/rebuilt reread/reread/reread redo/redid/redone
		win/won/won write/wrote/written`
)

var (
	// habitual are the verbs of which "I" and the bare form tell a habit.
	habitual = words(`attend bake bike blog brew camp celebrate climb coach code collect compete cook craft create cycle dance design
		do donate drive eat exercise explore film fish foster garden gather go grill grow hang hike host hunt jog juggle kayak knit lead lift
		listen live make manage meditate mentor organise organize own paint perform photograph plan play practice practise produce raise read
		ride roast run sail serve sew share shop sing skate sketch ski speak spend stream study surf swim take teach tell train travel
		tutor use visit volunteer wake walk watch wear work write own breed`)
	// idleVerbs tell of a state, a thought or a word rather than of a deed. Of them
	// the forms in ed and ing tell no event.
	idleVerbs = words(`want need like love hope ask agree notice guess seem mention suggest decide wonder enjoy wish miss use happen
		look talk chat appreciate expect imagine remember realize realise laugh smile help call turn end relax freak excite interest suppose
		believe care cherish admire value respect consider doubt dream fear feel forget hear hate know mean mind regret say see
		sound thank think trust understand worry reflect focus aim think bet recommend advise hang await wait stand sit
		tell try strive push deal cheer root recharge pump hype relate refer glow shine let check
		confess admit add come go die kid joke stay keep bring follow share support encourage motivate inspire tire stress bother bug
		surprise amaze impress overwhelm disappoint please determine dedicate commit involve scare
		listen concern warm remind rush rely resonate stoke`)
	// weakVerbs tell nothing but with what they are joined to.
	weakVerbs = words(`begin bring do find get give go have hold keep leave make put run see set sit stand start stay take throw try use finish complete open
		pick change work play lose`)
	// livelyGerunds are the gerunds that tell an event although the verb is idle.
	livelyGerunds = words(`going focusing trying using helping sharing supporting dealing struggling bringing keeping looking doing having
		dreaming missing naming following saving`)
	// acts are all forms of the verbs, with what they are: b a bare form, p past,
	// n participle, g gerund; several where forms agree.
	acts = formsOf(regularActs, irregularActs)
)

func formsOf(regular, irregular string) map[string]string {
	forms := map[string]string{}
	add := func(form, kind string) {
		if !strings.Contains(forms[form], kind) {
			forms[form] += kind
		}
	}
	for _, v := range strings.Fields(regular) {
		add(v, "b")
		add(inflected(v, "ed"), "pn")
		add(inflected(v, "ing"), "g")
	}
	for _, line := range strings.Fields(irregular) {
		f := strings.Split(line, "/")
		add(f[0], "b")
		add(f[1], "p")
		add(f[2], "n")
		add(inflected(f[0], "ing"), "g")
	}
	add("got", "n")
	return forms
}

// doubling are the verbs that double their last letter.
var doubling = words(`ban chop get jog jam hit plan put quit run set shop sit skip step stop strum swim transfer unplug wrap win enrol begin bet cut dig jet kid let nap pet trip grab`)

// inflected is a verb with ed or ing.
func inflected(v, end string) string {
	last := v[len(v)-1]
	switch {
	case doubling[v]:
		return v + string(last) + end
	case last == 'e' && end == "ed":
		return v + "d"
	case last == 'e' && v != "see" && v != "be" && v != "dye" && v != "canoe":
		return v[:len(v)-1] + end
	case last == 'y' && end == "ed" && !strings.ContainsRune("aeiou", rune(v[len(v)-2])):
		return v[:len(v)-1] + "ied"
	}
	return v + end
}

// bare takes the end from a form of a regular verb, as far as it can be known:
// one of the results is the base form.
func bare(w, end string) [3]string {
	rest := strings.TrimSuffix(w, end)
	out := [3]string{rest, rest + "e", rest}
	if n := len(rest); n > 2 && rest[n-1] == rest[n-2] {
		out[2] = rest[:n-1]
	} else if n > 1 && rest[n-1] == 'i' {
		out[2] = rest[:n-1] + "y"
	}
	return out
}

// idle says whether a form in ed or ing is of a verb that tells no deed.
func idle(w, end string) bool {
	for _, b := range bare(w, end) {
		if idleVerbs[b] {
			return true
		}
	}
	return false
}

// formsAmong are the forms of some of the verbs.
func formsAmong(bases map[string]bool) map[string]bool {
	out := map[string]bool{}
	for _, list := range []string{regularActs, irregularActs} {
		for _, f := range strings.Fields(list) {
			parts := strings.Split(f, "/")
			if !bases[parts[0]] {
				continue
			}
			for _, form := range append(parts, inflected(parts[0], "ing"), inflected(parts[0], "ed")) {
				out[form] = true
			}
		}
	}
	return out
}
