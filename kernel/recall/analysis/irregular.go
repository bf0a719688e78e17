package analysis

import "strings"

// irregular leads the forms that no stemmer reaches back to their base. Forms
// that are more often another word are left out (rose, ground, lay, bore).
var irregular = func() map[string]string {
	table := map[string]string{}
	for _, line := range strings.Split(strings.TrimSpace(forms), "\n") {
		words := strings.Fields(line)
		for _, form := range words[1:] {
			table[form] = words[0]
		}
	}
	return table
}()

// forms holds a base and its irregular forms on each line.
const forms = `
arise arose arisen
awake awoke awoken
bad worse worst
beat beaten
become became
begin began begun
bend bent
bite bit bitten
bleed bled
blow blew blown
break broke broken
breed bred
bring brought
build built
burn burnt
buy bought
catch caught
choose chose chosen
cling clung
come came
creep crept
deal dealt
dig dug
do done
draw drew drawn
dream dreamt
drink drank drunk
drive drove driven
eat ate eaten
fall fell fallen
feed fed
feel felt
fight fought
find found
flee fled
fly flew flown
forbid forbade forbidden
forget forgot forgotten
forgive forgave forgiven
freeze froze frozen
get got gotten
give gave given
go went gone goes
good better best
grow grew grown
hang hung
hear heard
hide hid hidden
hold held
keep kept
kneel knelt
know knew known
lead led
leap leapt
learn learnt
leave left
lend lent
light lit
lose lost
make made
mean meant
meet met
mistake mistook mistaken
overcome overcame
pay paid
prove proven
rewrite rewrote rewritten
ride rode ridden
ring rang rung
run ran
say said says
see seen saw
seek sought
sell sold
send sent
shake shook shaken
shine shone
shoot shot
show shown
shrink shrank shrunk
sing sang sung
sink sank sunk
sit sat
sleep slept
slide slid
speak spoke spoken
spend spent
spin spun
stand stood
steal stole stolen
stick stuck
sting stung
strike struck
swear swore sworn
sweep swept
swell swollen
swim swam swum
swing swung
take took taken
teach taught
tear tore torn
tell told
think thought
throw threw thrown
understand understood
undo undid undone
wake woke woken
wear wore worn
weep wept
win won
withdraw withdrew withdrawn
write wrote written
analysis analyses
appendix appendices
axis axes
child children
crisis crises
criterion criteria
datum data
foot feet
goose geese
half halves
hypothesis hypotheses
index indices
knife knives
leaf leaves
life lives
man men
matrix matrices
mouse mice
person people
phenomenon phenomena
shelf shelves
thief thieves
tooth teeth
vertex vertices
wife wives
wolf wolves
woman women
`
