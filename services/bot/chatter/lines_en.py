"""What bots say in English: lines about cards, luck and themselves, never about a person."""

from services.bot.chatter.occasions import Occasion

POLITE: dict[Occasion, tuple[str, ...]] = {
    Occasion.GREETING: (
        "Good evening, table. May the cards be kind.",
        "I have a chair and a plan. The chair is solid.",
        "Nice to be here. My aces said they might join later.",
    ),
    Occasion.CHOOSING: (
        "My choice? I shall regret it, but with style.",
        "Let us see which one I have not ruined yet.",
        "This one. My heart is sure, my head is counting.",
    ),
    Occasion.BID_NOTHING: (
        "Nothing for me, I am on a diet.",
        "Nought. I will be looking out of the window.",
        "Zero: the one number I always manage to count to.",
    ),
    Occasion.BID_BIG: (
        "A bold bid. My knees are less bold.",
        "I bid what I see, and I may need glasses.",
        "Courage came with the cards this time.",
    ),
    Occasion.BID_EVERYTHING: (
        "All of them. Silence in the concert hall, please.",
        "Every trick. I said it aloud, so it must be true.",
        "I will take the lot, basket included.",
    ),
    Occasion.BID_LAST: (
        "Last to bid: the one I wanted is never on the shelf.",
        "I would have said another number. Rules are rules.",
        "The leftovers, please. I am used to them.",
    ),
    Occasion.OVERBID: (
        "Overbid: more mouths than slices.",
        "More hopes than tricks at this table.",
        "Somebody smells smoke? Too early, but soon.",
    ),
    Occasion.UNDERBID: (
        "Underbid: a trick is looking for a good home.",
        "Everybody is modest today. Suspicious.",
        "There will be leftovers. I am full already.",
    ),
    Occasion.TRICK_TAKEN: (
        "That one knew its way home.",
        "One for the pile, thank you.",
        "I had a shelf ready for it.",
        "Mine. I even planned it a little.",
    ),
    Occasion.TRICK_UNWANTED: (
        "That was a gift I cannot return.",
        "I asked for less and got more. Like grandmother's soup.",
        "One trick too many, and no receipt.",
    ),
    Occasion.BURNED: (
        "Burned. Golden brown, at least.",
        "My arithmetic caught fire.",
        "Something is burning, and it is me.",
    ),
    Occasion.MADE_IT: (
        "Exactly as bid. I am surprised too.",
        "To the millimetre. I shall bow quietly.",
        "It worked. Please do not ask how.",
    ),
    Occasion.ALL_IN_MADE: (
        "All of them! This hand goes into a frame.",
        "All in, and all home. Lights out, please.",
        "Once a year it works, and today was the day.",
    ),
    Occasion.ALL_BURNED: (
        "We all burned. At least it is warm.",
        "A general barbecue. Again, and double.",
        "Nobody made it: a sad day for mathematics.",
    ),
    Occasion.PERFECT_ORBIT: (
        "A perfect orbit. I shall mention it until winter.",
        "Not one burn. The asbestos gloves paid off.",
        "Twenty extra, and I hardly sweated. Visibly.",
    ),
    Occasion.TOTALE_MINUS: (
        "Totale minus: I have become allergic to red.",
        "Queens and diamonds to the neighbours, please.",
        "I make myself small and hope the king walks by.",
    ),
    Occasion.TOTALE_PLUS: (
        "Totale plus: my basket is open.",
        "Suddenly I adore queens. Such is life.",
        "A points hunt! I brought the big net.",
    ),
    Occasion.KING_TAKEN: (
        "The king of hearts came to stay, of all places here.",
        "Straight to the heart, that king.",
        "I have the king. I light a candle.",
    ),
    Occasion.KING_GIVEN: (
        "The king has left the house. So has my worry.",
        "Farewell, your majesty. Do write.",
        "I am a republic again.",
    ),
    Occasion.TAKING_ALL: (
        "All the points so far are here. Who said I should stop?",
        "I have started a collection. A few pieces are missing.",
        "It smells of taking everything.",
    ),
    Occasion.SEPTICA_CUT: (
        "I cut. It was sharp, so why not.",
        "A small incision. The patient will not feel it.",
        "Snip. Thread and needle to my partner.",
    ),
    Occasion.SEPTICA_GO_ON: (
        "Not so fast, I have another.",
        "I go on. The story has just begun.",
        "One more round, on the house.",
    ),
    Occasion.SEPTICA_LEAVE: (
        "I let it go. I have better ones to lose.",
        "Take it away; I am feeling generous.",
        "Not worth a seven, that one.",
    ),
    Occasion.SEPTICA_POINTS: (
        "A fat trick! Soup for the whole team.",
        "Points for us. High five, partner!",
        "Aces and tens, it is warm over here.",
    ),
    Occasion.PIELE: (
        "I smell leather: not one trick over there.",
        "Bring the tannery, we may have a hide.",
        "If this goes on, we leave with new coats.",
    ),
    Occasion.HAND_WON: (
        "A lovely hand. I am sorry to see it go.",
        "The points came home like sparrows to crumbs.",
        "I could choose hands like that all evening.",
    ),
    Occasion.HAND_LOST: (
        "That hand cost as much as a wedding.",
        "My points have left. At least they closed the door gently.",
        "I am below zero and on herbal tea.",
    ),
    Occasion.QUEEN_TAKEN: (
        "A queen came uninvited. I gave her a chair.",
        "Queens are fonder of me than they should be.",
        "I took a queen. Gallantry has its price.",
    ),
    Occasion.ACE_PLACED: (
        "An ace, and I come again, if I may.",
        "The ace at the end, and one more step.",
        "With this ace I stand in line twice.",
    ),
    Occasion.SEVEN_PLACED: (
        "A little seven, and a little rest for somebody.",
        "The seven goes down. Whoever is next may finish the coffee.",
        "Red light: here is a seven.",
    ),
    Occasion.PASSED: (
        "I sat on the bench; now I come on.",
        "There was nothing to place. Now there is, and I take my time.",
        "Last time I looked at the table as at a shop window.",
    ),
    Occasion.LAST_CARD: (
        "My last card. Look, no hands!",
        "Done, and out. Who makes the coffee?",
        "Out of cards, but not out of smiles.",
    ),
    Occasion.WINNING: (
        "I am ahead. Do not wake me.",
        "The view from up here is lovely.",
        "I am leading. I hope I know the way.",
    ),
    Occasion.LOSING: (
        "I am last, but I can see everybody from here.",
        "My score is a minus with big dreams.",
        "I will catch up. I did not say which year.",
    ),
    Occasion.WAITING: (
        "These cards have a sense of humour.",
        "My luck went out for a smoke; back any minute.",
        "I am thinking. Or pretending, but well.",
        "A beautiful hand. A pity it is mine.",
    ),
}

UNCENSORED: dict[Occasion, tuple[str, ...]] = {
    Occasion.GREETING: (
        "Evening! Let the cards bleed, not us.",
        "I came here to burn in style. Deal the damn things.",
        "Fresh pack, foul luck, big mouth. I am ready.",
    ),
    Occasion.CHOOSING: (
        "I will take this one, hell knows why.",
        "My pick. I will kick myself for it later.",
        "This one. They all hurt anyway.",
    ),
    Occasion.BID_NOTHING: (
        "Zero. I would not wipe the floor with this hand.",
        "Nought. What a heap of crap the pack gave me.",
        "Nothing, nada, bugger all.",
    ),
    Occasion.BID_BIG: (
        "Big bid. The ace went straight to my head.",
        "Either I make it or my feathers catch fire, damn it.",
        "I bid like a drunk at a wedding.",
    ),
    Occasion.BID_EVERYTHING: (
        "The whole bloody lot. You only live once.",
        "All in, arse on the embers.",
        "Everything. If I burn, let there be smoke, dammit.",
    ),
    Occasion.BID_LAST: (
        "Last again, and I get the damn bone.",
        "Of course the one I wanted is forbidden. Bloody rule!",
        "Only rubbish left to bid, so I bid it proudly.",
    ),
    Occasion.OVERBID: (
        "Overbid. The stink of burning will reach the corner.",
        "Too much appetite, too few damn tricks. Lovely.",
        "That is a madhouse of a bid. Sparks ahead!",
    ),
    Occasion.UNDERBID: (
        "Underbid. That spare trick spreads like the plague.",
        "Nobody wants any, and some poor arse gets it. Mine, I bet.",
        "A bastard trick without a father. Not to me, please!",
    ),
    Occasion.TRICK_TAKEN: (
        "Come to daddy!",
        "Mine, peel and all.",
        "Bang! Like a fly in the soup.",
        "Got it, the gorgeous little bastard.",
    ),
    Occasion.TRICK_UNWANTED: (
        "What the hell am I to do with this one?",
        "Damn! I win only when I do not want to.",
        "Another trick, like a belly after Christmas. Crap.",
    ),
    Occasion.BURNED: (
        "Burned down to my underpants.",
        "Fried, toasted, ash. Screw my arithmetic!",
        "Bloody hell, roasted again.",
    ),
    Occasion.MADE_IT: (
        "Bang on, damn it! Clever by accident.",
        "Exact, and I had no bloody idea what I was doing.",
        "Made it. Even my arse is smiling.",
    ),
    Occasion.ALL_IN_MADE: (
        "ALL of them! Well, bugger me!",
        "All in and out alive, hell yes!",
        "I took the lot and left the table in its underwear.",
    ),
    Occasion.ALL_BURNED: (
        "All of us burned, like sausages at a fair.",
        "A total damn disaster. Double, and again!",
        "Everybody is fried. The curtains will stink for weeks.",
    ),
    Occasion.PERFECT_ORBIT: (
        "A perfect orbit, I will be damned! Fat lucky arse of mine.",
        "Not one burn. My pants are asbestos.",
        "Twenty for free. Pig's luck, and I love it.",
    ),
    Occasion.TOTALE_MINUS: (
        "Totale minus. Keep those damned queens off me!",
        "Who put so many bloody diamonds in this pack?",
        "I run from that king like the devil from incense.",
    ),
    Occasion.TOTALE_PLUS: (
        "Totale plus: throw me all your filth!",
        "Now I love that king. What a dirty little game.",
        "Points, points, come here, you little buggers.",
    ),
    Occasion.KING_TAKEN: (
        "The damned king, and straight into my lap!",
        "A king up my nose. Crap with little hearts on it.",
        "I took the king. Screw my luck!",
    ),
    Occasion.KING_GIVEN: (
        "Bye, king! And do not bloody come back.",
        "Rid of that bearded red plague at last.",
        "Out he flies, crown, beard and all. Hell yes!",
    ),
    Occasion.TAKING_ALL: (
        "I take the lot, shameless as I am.",
        "It smells of taking everything, and it is not my socks.",
        "All the filth to me. Just like that, damn it!",
    ),
    Occasion.SEPTICA_CUT: (
        "Cut! See how nicely it bleeds.",
        "Chop! Like a pig before Christmas.",
        "I cut the damn thing, my palm was itching.",
    ),
    Occasion.SEPTICA_GO_ON: (
        "Over my dead body. Here is another!",
        "One more, right on its snout!",
        "I go on, stubborn as hell.",
    ),
    Occasion.SEPTICA_LEAVE: (
        "Let it go to hell, spinning.",
        "Not worth a seven, that heap of crap.",
        "Damn this trick, my nerves are short.",
    ),
    Occasion.SEPTICA_POINTS: (
        "A trick as fat as a Christmas sow!",
        "Points, hell yes! Lick your fingers, team.",
        "I sucked that one down to the bone.",
    ),
    Occasion.PIELE: (
        "It stinks of leather in here, like a tannery!",
        "Not one damn trick over there. Skin those aces!",
        "We will have their aces' hides, buttons included.",
    ),
    Occasion.HAND_WON: (
        "A fat hand! The grease runs down my chin.",
        "Points by the shovel, damn it all!",
        "What a hand. I could kiss the bloody thing.",
    ),
    Occasion.HAND_LOST: (
        "That hand skinned me like a rabbit, dammit.",
        "I got it so hard my lids flew off.",
        "Minus a whole house. Crap luck!",
    ),
    Occasion.QUEEN_TAKEN: (
        "Another damned queen on my head!",
        "Bloody queens, they all aim at me.",
        "I took that queen like a fool at the fair.",
    ),
    Occasion.ACE_PLACED: (
        "Ace! And one more, so that it stings.",
        "Down goes the ace, and I am not bloody leaving.",
        "An ace, and another after it, hell yes!",
    ),
    Occasion.SEVEN_PLACED: (
        "Seven! Stay there and suffer, whoever you are.",
        "I put the padlock on. Damn, that felt good!",
        "A seven right on somebody's snout.",
    ),
    Occasion.PASSED: (
        "I stood there like an idiot at the fence.",
        "Nothing to place, damn it! Now I get even.",
        "I passed out of spite, curse this table.",
    ),
    Occasion.LAST_CARD: (
        "Out! Not one damn card left, kiss my purse.",
        "The last one! Let me see you now, dammit.",
        "I am out. Whoever is left sweeps up the crap.",
    ),
    Occasion.WINNING: (
        "Ahead! Blind luck, but it is mine, damn it.",
        "I lead. I could kiss my own backside.",
        "From up here I can spit into the pack.",
    ),
    Occasion.LOSING: (
        "Last. Only cold coffee is worse, dammit.",
        "My score looks like hell, but I have soul.",
        "So low that I find coins under the bloody table.",
    ),
    Occasion.WAITING: (
        "What crap cards! Sorry, but they are.",
        "My luck went for cigarettes ten years ago.",
        "This hand should be thrown out with the hand.",
        "I am thinking, damn it. Can you hear it?",
    ),
}
