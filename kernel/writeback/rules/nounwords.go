package rules

var (
	// kin are the people and animals that somebody has.
	kin = words(`family wife husband spouse partner boyfriend girlfriend fiance fiancé fiancée fiancee ex bf gf hubby son sons daughter daughters
		kid kids child children baby twins toddler teen teenager youngest oldest eldest mom mum mother mama dad father papa parent parents
		sister sisters brother brothers sibling siblings twin grandma grandmother granny grandpa grandfather grandparents grandson
		granddaughter grandchild grandchildren grandkids aunt auntie uncle cousin cousins niece nephew nieces nephews in-laws
		mother-in-law father-in-law sister-in-law brother-in-law stepmom stepdad stepson stepdaughter stepbrother stepsister godmother godfather
		godson goddaughter relative relatives ancestors friend friends bestie buddy buddies pal pals roommate roommates flatmate
		housemate neighbor neighbors neighbour neighbours colleague colleagues coworker coworkers co-worker co-workers boss manager
		mentor mentee coach teacher professor therapist doctor teammate teammates bandmate bandmates classmate classmates client clients student
		students fans dog dogs puppy puppies pup pups cat cats kitten kittens kitty pet pets turtle turtles tortoise rabbit rabbits bunny hamster
		parrot bird birds fish horse horses pony snake snakes lizard gecko chickens goat goats doggo furbabies guinea`)
	// life are the things that lives are made of: work, learning, homes, health,
	// arts, sports, travel, festivals.
	life = merged(kin, words(`job jobs work career careers company business businesses startup promotion office internship apprenticeship interview interviews
		salary raise shift client clients contract freelance freelancing retirement profession colleague customers project projects deadline gig gigs
		sponsorship endorsement deal investor investors producer producers publisher agent agency employer
		school class classes course courses college university degree diploma certificate certification exam exams test thesis dissertation
		lesson lessons lecture lectures studies semester scholarship grades major tutor kindergarten campus seminar seminars
		workshop workshops conference conferences convention retreat training bootcamp webinar research
		book books novel novels script scripts screenplay story stories article articles blog blogs vlog podcast poem poems poetry journal journaling diary essay
		memoir magazine newspaper column newsletter chapter painting paintings drawing drawings sketch sketches mural sculpture pottery ceramics
		art arts artwork gallery exhibit exhibition photography photoshoot camera music song songs album albums single band concert concerts tour gig
		clarinet oboe bassoon trombone tuba horn harp harmonica banjo mandolin viola accordion bagpipes synth synthesizer
		xylophone marimba tambourine recorder lute sitar guitar bass piano violin drums drum drumming cello flute saxophone trumpet ukulele keyboard instrument orchestra choir playlist
		vinyl studio lyrics melody stage audience recital musical opera video videos film films movie movies documentary show shows series theater theatre center centre
		play musical acting audition dance dancing ballet salsa comedy
		game games gaming tournament tournaments console team league match championship trophy medal award awards prize contest competition season playoffs
		hike hikes hiking camp camping trip trips travel travels vacation vacations holiday holidays road roadtrip flight cruise safari tour honeymoon
		resort hotel hostel airbnb beach beaches mountain mountains lake river forest woods island waterfall trail trails canyon desert ocean
		sea coast park parks festival festivals fair parade museum museums castle temple cathedral zoo aquarium garden gardens gardening plants plant
		flowers flower vegetables tomatoes herbs roses farm yoga meditation mindfulness gym workout workouts fitness kickboxing boxing karate judo taekwondo
		martial pilates zumba crossfit weights running run marathon half-marathon triathlon race races surfing surf swimming swim climbing bouldering soccer
		football basketball baseball softball volleyball hockey rugby cricket tennis badminton golf chess poker skiing ski snowboarding
		skating skateboarding cycling biking bike bicycle fishing hunting sailing kayaking kayak rafting diving scuba snorkeling paragliding skydiving
		horseback archery bowling lacrosse wrestling gymnastics
		volunteer volunteering volunteers charity charities shelter fundraiser community church mosque synagogue temple club group organization organisation
		nonprofit non-profit foundation program programme programs mentorship mentoring campaign election politics politician council policies policy
		committee petition protest rally march activism pride veterans refugees orphanage
		house home apartment flat condo cabin cottage mortgage car truck van motorcycle motorbike scooter boat rv kitchen bedroom room attic bookshelf bookcase couch
		sofa desk backyard yard balcony basement garage workshop recipe recipes cooking baking cake cakes cookies bread pie dessert desserts dinner
		lunch breakfast brunch meal meals feast thanksgiving christmas halloween easter hanukkah diwali ramadan eid restaurant
		restaurants cafe café bakery bar barbecue bbq diet vegan vegetarian vegetarianism gluten dairy-free pizza pizzas pasta sushi soup curry
		ice-cream chocolate coffee tea wine beer cocktails
		allergies allergy allergic asthma diabetes migraine migraines insomnia adhd autism dyslexia anemia arthritis eczema health injury injuries
		surgery operation hospital clinic therapy therapist counseling counselling counselor rehab doctor nurse diagnosis diagnosed depression anxiety panic
		cancer illness disease disability medication meds pregnancy pregnant ankle knee shoulder wrist arm leg hip concussion fracture
		blood pressure cholesterol weight
		wedding birthday anniversary engagement pregnancy adoption divorce breakup funeral graduation reunion baptism shower party
		collection collections stamps coins figurines comics comic antiques jerseys sneakers store shop boutique brand label market mall
		hair haircut tattoo tattoos piercing workspace schedule routine library visuals characters engineering website websites app channel
		youtube instagram tiktok twitch stream streaming coding programming robotics software computer laptop pc setup drone 3d
		teens education neighborhood neighbourhood town city village country hometown nature wildlife infrastructure local event events fan ceremony venue
		passport visa language languages spanish french german italian japanese chinese korean degree lottery jewelry necklace ring bracelet watch
		glass window quilt quilts scarf sweater candles furniture tools woodwork woodworking carpentry knitting crochet sewing
		crafts craft crafting scrapbook scrapbooking origami calligraphy robot telescope stargazing astronomy birdwatching birding genealogy crypto stocks
		identity transition gender transgender queer lgbtq lgbt bible`))
	// hollow are nouns that name nothing that one could remember.
	hollow = words(`time times blast lot lots bit way ways feeling feelings moment moments experience experiences thing things stuff day days fun chance chances
		opportunity opportunities look break minute minutes second seconds while idea ideas point sense difference impact part parts kind kinds sort sorts type
		types reason reasons word words mind place places ton tons bunch few couple little need needs rest attention care effort efforts progress
		step steps note favor favour mess one ones guess mood week weekend month year years hour hours night nights morning evening
		afternoon other others people person someone something anything everything nothing myself reminder journey vibe vibes energy memory memories
		smile smiles joy picture pictures pic pics photo photos shot shots advice question questions tip tips hang good best self much support help motivation
		inspiration love respect hope strength confidence patience ups downs challenge challenges obstacle obstacles hurdle hurdles potential kick glimpse
		breather hand heart soul side spot choice choices option options change changes matter topic case deal mark distraction setback
		setbacks trouble problem problems issue issues luck result results chat talk connection connections talks world life lives details detail news update updates
		recommendation recommendations suggestion suggestions perspective way end beginning start bond boost rush thrill thought thoughts
		interest success success win peace balance comfort clarity space adventure adventures challenge head eye eyes face faces top big great
		back corner pace track line list role sight sights scene atmosphere beauty view views fan bet bets clue go hard rough tough wild ride it this that them
		same new old well lately today yesterday tomorrow recently here there now then again up down out off cool awesome amazing nice blessing
		appreciation gratitude wonder amount number level game-changer attitude spirit spirits downtime circle hype turn pleasure honor mistake mistakes process copy copies version versions pair edition ending fear fears struggle struggles bunch solution answer conclusion flow grain nap breath air monday tuesday wednesday thursday friday saturday sunday skill skills sky universe road folks folk guys zen calm minds voice footing stride groove bearings wishes crowd
		knowledge turnout situation situations insight insights understanding awareness approach approaches technique techniques purpose laugh laughs laughter
		tears goosebumps chills deficit gains highlight highlights milestone milestones momentum courage bravery wisdom resilience perseverance
		dedication determination commitment creativity ability abilities quality qualities aspect aspects area areas element elements factor factors
		phase period occasion occasions possibility possibilities outcome outcomes impression impressions encouragement compliment compliments guts
		nerves importance truth fact freedom happiness relief priority priorities goal goals dream dreams passion passions growth improvement achievement accomplishment future past present max gem treasure`)
	// moods are the words in which people judge and feel; they tell nothing of what
	// happened.
	moodWords = words(`happy glad proud grateful thankful excited stoked thrilled pumped lucky amazed honored honoured impressed sorry sure ready okay ok
		fine bummed overwhelmed hyped relieved curious jealous determined awesome amazing great good nice cool fun wonderful fantastic incredible
		unbelievable beautiful gorgeous lovely sweet cute adorable perfect special magical unreal surreal wild crazy insane intense tough hard
		difficult rough sad scary stressful stressed exhausting exhausted tired tiring rewarding fulfilling satisfying inspiring inspired motivating
		motivated motivation encouraging touching moving heartwarming refreshing relaxing relaxed calming calm peaceful serene soothing cozy comfy comforting fascinating
		interesting enjoyable entertaining hilarious funny delicious tasty yummy helpful useful important meaningful worth worthwhile memorable unforgettable
		nostalgic emotional exciting thrilling exhilarating eye-opening mind-blowing breathtaking stunning impressive powerful vivid blast dream true feel feels felt feeling made makes make
		really very so super totally pretty quite such absolutely much lots lot always ever never even more most bit whole way sense joy happiness excitement
		pride relief love peace smile smiles lift boost energy vibe experience moment moments memories memory time day reminder reminded reminds remind
		positive strong supportive kind caring understanding sick funny smart accomplishment accomplished fulfillment appreciate appreciated mean meant means everyone everything something anything nothing someone people thing things world life heart
		mood like seeing see saw seem seems look looked looks looking hear hearing got get gets getting going go went come came back keep keeps kept going`)
	// qualities say how something is.
	qualities = words(`young old little small tiny huge big large long short different other various certain main major minor whole entire full own same
		new latest next last regular usual normal real actual simple basic local nearby extra total overall final early late free special general`)
	// determiners open what is named.
	determiners = words(`a an the my our his her their some another two three four five six seven eight nine ten several this these both many new first second third more one no any`)
	// alsoVerbs are nouns only behind these words.
	alsoVerbs = words(`work works show shows play plays test tests run runs race dance hike camp book film stream plan plant plants park exhibit interview
		coach train project fish contract lecture record sketch shower watch water deal major surf swim ski cruise tour travel research exercise tools rest move lift`)
	aimsAt = words(`for against about with in at on of`)
	places = words(`at after from for of in on with about during before between bring brings brought took take`)
	// bounds end what is named.
	bounds = words(`in on at by for from with without of and or but to that which who when where while because so as than into onto over under about after before
		since until during through across around near between against along like is are was were be been has have had do did does will would can could
		should it i you we they he she really if though although then just too also today yesterday tomorrow recently lately last next there here now again`)
)
