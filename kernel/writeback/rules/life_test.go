package rules_test

import (
	"strings"
	"testing"

	"github.com/rnixfs/rnixfs/kernel/writeback/rules"
)

// lives are what people say of their lives, by the shape in which they say it,
// and what has the same shape and is not worth it.
var lives = map[string]struct{ worth, not string }{
	"deeds": {`
I bought a kayak at the yard sale.
We repainted the nursery last weekend.
I finally passed my driving test on the third try!
I signed up for a beginner's ballet class.
I sold my first painting at a street fair.
We celebrated our tenth anniversary at a cabin in Vermont.
I ran my first half-marathon on Sunday.
I ended up buying a used Honda motorcycle.
I quit smoking three months ago.
I wrote a short story about my time in Kenya.
My wife and I renewed our vows in Hawaii.
We marched for climate action.
It rained all week, so we stayed in and played board games.
I had to fix my roof and it cost a fortune.
`, `
I had a great time last night.
I made some progress.
I took a break and went for some air.
I tried, but it didn't work out.
I got your message this morning.
We talked for hours.
I finally got it done.
I put a lot of effort into this.
I gave it my all.
I saw someone at the park.
I made a mistake.
I've never seen anything like it.
I did what I could.
I went to bed early.
`},
	"deeds without a subject": {`
Just got back from a weekend in Prague with my best friend!
Got my scuba certification last week!
Started a podcast with a friend about urban legends.
Been learning Portuguese for about six months now.
Finally finished the quilt for my aunt.
Moved to Portland three weeks ago for work.
Went to a jazz concert with my sister.
Working on a novel set in ancient Persia.
Adopted a senior greyhound named Duke!
Made a birdhouse for my mom's birthday.
`, `
Got it, thanks!
Went well, thanks for asking.
Had a blast!
Been there, done that.
Loving the energy here.
Feeling good about it.
Working on it.
Sounds like a plan.
Made my day!
Started off slow.
`},
	"what goes on": {`
I've been taking salsa classes every Tuesday.
I'm training for a triathlon in September.
I'm renovating an old farmhouse with my brother.
We're expecting a baby girl in October.
I'm teaching my daughter to ride a bike.
I've been volunteering as a tutor for refugee kids.
I'm taking care of my grandmother these days.
My cousin is building a greenhouse for us.
I've been sober for two years.
I'm working on a children's book about otters.
`, `
I'm having a lazy Sunday.
I'm keeping an open mind.
I'm doing well, thanks.
I've been thinking the same.
I'm trying my best to keep up.
I'm getting there.
We're having fun.
I'm still figuring things out.
I'm taking a nap.
I'm just kidding around.
`},
	"plans": {`
I'm planning to open my own coffee shop someday.
I'm going to spend two months in Greece.
We decided to adopt a second child.
I'm hoping to get a scholarship for next year.
I'm thinking of going back to school to study psychology.
I'm saving up for a trip to Iceland next spring.
One idea I have is to start a community garden.
I'll be teaching a pottery class at the center.
I want to run a marathon before I turn forty.
My dream is to open a bed and breakfast in Tuscany.
`, `
I'm going to check it out later.
I'm about to walk the dog.
I've got to pick up the kids in ten minutes.
I'll try to take it easy this weekend.
We should grab lunch sometime.
I'm making pasta for dinner tonight.
I might sign up for a class someday.
I want to make the most of it.
I'll let you know how the project goes.
If I had a dog, I'd take it everywhere.
`},
	"habits": {`
I bake sourdough on weekends.
I collect old maps and globes.
I play chess with my grandpa every Sunday.
We go camping at Lake Tahoe every July.
I usually go for a jog along the river before breakfast.
I keep a journal where I write down my dreams.
I wear hearing aids.
I often cook with my roommate after work.
When I'm in the garden, I listen to audiobooks.
My team and I train three times a week.
`, `
I always knew it.
I usually think so too.
I often wonder about that.
I go with the flow.
I do what I can.
I get what you mean.
I take it back.
I see it every day.
I keep telling myself it will be fine.
I make do.
`},
	"those whom one has": {`
My sister works as a nurse at the county hospital.
My grandfather taught me how to fix clocks.
My dad passed away five years ago.
My daughter won her school's spelling bee!
My parents divorced when I was seven.
Our team took third place in the regional contest.
My cousin Leo plays in a punk band.
That's my cat Olive.
I have a cat named Biscuit and a parrot named Rio.
My brother is getting married in May.
He's a golden retriever, we got him when he was eight weeks old.
`, `
My coach was really supportive.
My kids are the same.
My family is everything.
My friends are the best.
My mom is so sweet.
Our friendship means a lot to me.
My fingers are crossed.
My mind was blown.
My schedule is packed this week.
My heart is full.
`},
	"gifts and invitations": {`
Anna got me a vegan cookbook the other day.
My brother gave me a ukulele for Christmas.
A friend of mine made us a wooden bench.
They asked me to be the godmother of their son.
My boss promoted me to head of marketing.
The gallery invited me to show my photos.
My uncle left me his stamp collection.
My neighbor taught me how to prune roses.
The club chose me as its new captain.
They hired me as a translator for the summer.
`, `
They gave me a smile.
It gave me goosebumps.
That made me happy.
They told me about it.
She sent me a message.
He made me laugh.
You gave me good advice.
Somebody asked me the time.
It brought me joy.
They showed me around.
`},
	"what was done is the subject": {`
Touring with my band last week was wild.
Finally owning a sailboat was a dream come true.
Performing on such a big stage was a dream come true!
Hiking the Inca Trail last summer was amazing.
Teaching my niece to swim has been so rewarding.
Visiting the old temples in Kyoto was unforgettable.
Losing my job in March was tough.
Growing vegetables with my dad was the highlight of the summer.
Moving across the country with two kids was a challenge.
It was fun spending the day with my cousins.
`, `
Seeing you was great.
Being in nature is so refreshing.
Learning new things keeps life interesting.
Having supportive friends is everything.
Taking a break was good.
Working hard is worth it.
Hearing that was tough.
It was great seeing you at the party.
It's great to have friends like you.
Trying new things is good.
`},
	"shown and recalled": {`
Here's a picture of the vase I made in my pottery class.
Check out the treehouse we built for the kids.
It's from my trip to Peru last year.
It's a painting of the lake near my childhood home.
I'll never forget the day my son took his first steps.
That photo reminds me of our trip to Norway when I was ten.
Did I tell you that I have two horses?
Take a look at the logo we designed for our bakery.
I took this photo at a place called Eagle Rock.
This is the quilt my grandmother and I sewed.
`, `
Here's a picture I took.
Check it out!
Look at this photo.
Here's one from yesterday.
Here's something I just finished.
Did I tell you?
Did you see the picture I sent?
It reminds me of what matters.
It's a great way to relax.
Take a look at the sunset!
`},
	"health and self": {`
I'm allergic to shellfish.
From a distance, since I'm allergic.
I was diagnosed with diabetes last year.
I get migraines when the weather changes.
I'm a single mom of two boys.
It feels unreal now that I'm an assistant manager.
I've been a nurse for fifteen years.
I'm the youngest of four siblings.
I can play four instruments.
I had knee surgery in January.
I made it to tell of my life as an immigrant woman.
`, `
I'm sick of waiting.
I'm a bit tired.
I'm fine now.
I feel much better.
I'm on my way to work.
I'm at home right now.
I have faith that it will work out.
I have a few ideas in mind.
I have no words.
I'm in the middle of something.
`},
	"likings": {`
My favorite band is Radiohead.
Jazz has always been my thing.
I'm more of a tea person than a coffee person.
Hiking is my way of clearing my head.
Painting landscapes calms me down after long shifts.
Running has helped me manage my anxiety.
I can't stand horror movies.
The Wolves are my team for sure.
"The Overstory" is such a great novel.
Performing live always fuels my soul!
Emma Stone, she's such a good actress. I'm a huge fan.
I find that I write best when it rains.
It's so fulfilling to use my skills for others.
Family game night is a tradition in our house.
`, `
I love that for you!
I love the colors in this painting!
I really like this photo.
I like your style.
I'd love to see it someday.
I enjoyed every minute of it.
I'm obsessed with those.
I dig how it's so unique.
I really enjoyed our chat.
I love how you always see the bright side.
The vibe was amazing.
Books can take us to so many places.
It's important to stay positive.
Music is a great way to express yourself.
`},
	"what nobody would keep": {`
I read a novel by Ursula Le Guin on the train.
We stayed at a farm with my cousins for a week.
We raised two thousand euros for the animal shelter.
I've been blessed to visit Morocco and Egypt.
We're considering adopting a parrot.
I've been involved in a choir since college.
We had to say goodbye to Bruno, our old beagle.
I've had her for six years.
When I was little I'd spend hours in my uncle's bakery.
I'm gluten intolerant, so I bake my own bread.
`, `
Knowing I helped somebody is the best part.
Hearing that my friends care is so touching.
It was so rewarding to see people engage with the world I made.
It's been amazing witnessing them grow.
I read a story about someone who never gave up.
Something happened at my job that I've been dealing with.
We got a great turnout.
I gained a lot of insight.
We had to dig deep and keep pushing.
We responded to a situation.
I recently played a game, and it was fun.
I've been so swamped these days.
I was blown away by the beauty of it.
We came together and made it work.
It's a pity that my snakes don't run.
The last time I played at the club.
I'm taking some time off this weekend.
`},
	"likings of something": {`
My brothers and my bike keep me sane.
Pottery gives me peace.
I'm really into this book called "Momo".
Concerts are what I live for.
Singing in the choir has been so calming for me.
I find peace in gardening.
I love bowling!
I never liked cooking, but I signed up for a class.
Drawing is a fun way to express my feelings.
`, `
I love all the red leaves, it looks so cozy.
I love the thought, Peter.
I'm loving it.
I'm looking forward to seeing what comes next.
I'm really looking forward to creating more fun experiences.
I want to keep making a difference.
I won't let this bring me down.
Finding silver linings helps me.
Their trust gives me courage.
Let's make sure we get there, I want us to grow.
It's awesome to do something I love.
I'm making strides toward my goals.
I loved just chilling and taking in the beauty.
`},
	"what befell, and what goes on": {`
A truck rear-ended us on the highway.
Our four-year-old is so sweet, her name is Ida.
Been busy rehearsing with my quartet.
Trying to get a playground built, it's slow but fun.
I don't have siblings.
My graphic novel is finally finished.
I'm in talks with Umbro about a sponsorship.
I was in Lisbon, it was lovely.
I play clarinet.
I'm thinking about more internships.
As a nursing student, I want to help in a clinic.
We're teaming up with local schools/libraries to teach chess.
I'd watch boxing matches with my dad.
`, `
I took a trip to a new place.
I had a similar experience.
I've been using this tool.
I stumbled across this corner while hiking.
I have a lot of photos from this day.
I'm excited to see where pottery takes me.
I'm always looking to up my game.
Winning was such a thrill.
Whenever I go back.
Wish I had a vacation lined up.
I went out and got a copy.
`},
	"likings in other words": {`
One of my favorite dishes is paella.
If I had to pick a favorite, it would definitely be Abba.
It's been a dream of mine to open a small bakery.
I'm not really into camping.
Peru is definitely on my list.
Welding is like therapy for me.
One day I'd love to open a bakery.
That's why I love volunteering!
`, `
I'm keen on two projects in particular.
I'm up for the challenge.
I'm looking for some travel ideas.
I want to solidify the plan first.
Fingers crossed it'll help me.
This is one of my favorite spots to ponder.
Accomplishment keeps me motivated.
These moments are why I love my job.
`},
}

func TestLives(t *testing.T) {
	for shape, said := range lives {
		for line := range strings.Lines(strings.TrimSpace(said.worth)) {
			if got := rules.Extract(talk("a How are you?", "u "+strings.TrimSpace(line)), rules.Options{}); len(got) != 1 {
				t.Errorf("%s: %q: got %d candidates, want one: %v", shape, strings.TrimSpace(line), len(got), got)
			}
		}
		for line := range strings.Lines(strings.TrimSpace(said.not)) {
			for _, got := range rules.Extract(talk("a How are you?", "u "+strings.TrimSpace(line)), rules.Options{}) {
				t.Errorf("%s: %q: got %s %q, want nothing", shape, strings.TrimSpace(line), got.Category, got.Content)
			}
		}
	}
}
