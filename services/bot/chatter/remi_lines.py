"""What bots say at Remi, in Romanian and in English: lines about tiles, luck and themselves, never about a person."""

from services.bot.chatter.occasions import Occasion

POLITE_RO: dict[Occasion, tuple[str, ...]] = {
    Occasion.REMI_GREETING: (
        "Bună seara! Piesele mele au venit în papuci, cam fără chef.",
        "Am aranjat tabla ca la expoziție. Acum să vedem ce se vinde.",
        "Spor la joc! Eu țin locul cald pentru un Joker.",
    ),
    Occasion.OPENS: (
        "M-am etalat. Mi s-a luminat tabla.",
        "Patruzeci și cinci, cu suită cu tot. Rog o chitanță.",
        "Gata, sunt în joc. Până acum doar am încălzit scaunul.",
    ),
    Occasion.LAYS_OFF: (
        "Lipesc și eu una, să nu se simtă singură.",
        "Asta se potrivea acolo de la început, doar că n-am știut.",
        "Un mic petic, dar bine cusut.",
    ),
    Occasion.SWAPS_JOKER: (
        "Jokerul vine la mine: la dumneavoastră stătea degeaba.",
        "Schimb cinstit: piesă pe Joker.",
        "Bine ai venit acasă, Jokerule.",
    ),
    Occasion.BREAKS_ROW: (
        "Rup rândul. N-am crezut că apuc ziua.",
        "Iau de la fund, că acolo e dulceața.",
        "Multe piese dintr-odată; sper să-mi ajungă tabla.",
    ),
    Occasion.ANNOUNCES_ATU: (
        "Atu la mine! Cincizeci, mulțumesc frumos.",
        "Am fratele geamăn al celui de pe masă.",
        "Atu, prezent! Se trece în foaie, da?",
    ),
    Occasion.ANNOUNCES_TWO_TILES: (
        "Două piese! Am spus-o tare, să nu fie vorbă.",
        "Două piese. De aici nu mai e mult, dar e cel mai greu.",
        "Anunț două piese și-mi țin respirația.",
    ),
    Occasion.CLOSES: (
        "Închid! Tabla goală, inima plină.",
        "Gata, nu mai am nimic. Și ce bine arată nimicul ăsta!",
        "Ultima piesă a plecat la plimbare. Am închis.",
    ),
    Occasion.CLOSES_WITH_JOKER: (
        "Închid cu Jokerul! Dublu, dacă se poate, cu ambalaj de cadou.",
        "Jokerul la urmă, ca cireașa de pe tort.",
        "L-am ținut pe Joker pentru final. A meritat.",
    ),
    Occasion.ROUND_WON: (
        "Frumoasă rundă. Aș mai comanda una la fel.",
        "Mi-a ieșit runda trecută; mă uit și eu mirat la foaie.",
        "Suta aceea de la închidere îmi stă bine.",
    ),
    Occasion.CAUGHT: (
        "M-a prins cu tabla plină, ca pe copil cu borcanul.",
        "Am strâns piese pentru iarnă și a venit socoteala.",
        "Câte puncte în mână aveam! Puteam deschide prăvălie.",
    ),
    Occasion.FEW_TILES_THERE: (
        "Miroase a închidere pe aproape. Mă grăbesc.",
        "Se împuținează piesele pe acolo; ale mele se înmulțesc.",
        "Simt un curent pe la ușă. Îmi strâng piesele.",
    ),
    Occasion.STUCK: (
        "Teancul scade și eu tot cu tabla plină.",
        "Mai caut o suită. Dacă o vedeți, spuneți-i că o aștept.",
        "Eu nu mă etalez, eu mă coc.",
    ),
    Occasion.REMI_WINNING: (
        "Sunt în față. Ating lemnul, că tot am tablă.",
        "Foaia arată bine; n-o mai mișcați.",
        "Merg înainte, încet și cu piesele în ordine.",
    ),
    Occasion.REMI_LOSING: (
        "Sunt cu minus, dar minusul e scris frumos.",
        "Recuperez din mers, numai să înceapă mersul.",
        "De aici în jos nu mai e nimic, deci urcăm.",
    ),
    Occasion.REMI_WAITING: (
        "Piesele mele se ceartă pe culori.",
        "Am tot ce nu-mi trebuie, în două exemplare.",
        "Îmi lipsește mereu piesa din mijloc.",
        "Mut piesele de colo-colo; așa gândesc eu.",
    ),
}

UNCENSORED_RO: dict[Occasion, tuple[str, ...]] = {
    Occasion.REMI_GREETING: (
        "Hai noroc și dă-i drumu'! Tabla asta-i o harababură de nedescris.",
        "Am primit niște piese de-mi vine să le-ngrop în curte.",
        "Începem, drace, că-mi fierb piesele!",
    ),
    Occasion.OPENS: (
        "M-am etalat, fir-ar să fie! Credeam că mor cu ele pe tablă.",
        "Na, poftim patruzeci și cinci, și să nu mai aud!",
        "Jos cu ele, că mi se încinsese tabla dracului!",
    ),
    Occasion.LAYS_OFF: (
        "O lipesc acolo și să nu mai crâcnească.",
        "Pac pe coadă! Lipită ca timbrul.",
        "Du-te, piesă, la mama ta, că la mine stăteai ca proasta.",
    ),
    Occasion.SWAPS_JOKER: (
        "Vino la tata, Jokerule, ticălos mic!",
        "Am furat Jokerul pe față, mama lui de hoț cinstit.",
        "Hopa! Jokerul e la mine, să crape și tabla!",
    ),
    Occasion.BREAKS_ROW: (
        "Îl rup, să se audă până-n stradă!",
        "Iau grămada asta cu tot cu gunoaie, dracu' s-o ia.",
        "Rupt! Acum am piese cât pentru o nuntă.",
    ),
    Occasion.ANNOUNCES_ATU: (
        "Atu, băga-mi-aș! Cincizeci pe gratis.",
        "Îl am pe geamănu' lui, ca dracu' de norocos!",
        "Atu la mine, să-mi sară capacul!",
    ),
    Occasion.ANNOUNCES_TWO_TILES: (
        "Două piese, să fie clar, că nu plătesc cinci sute ca prostu'!",
        "Două, și-mi tremură izmenele!",
        "Două piese! Am zis-o, martor mi-e dracu'.",
    ),
    Occasion.CLOSES: (
        "Închid, mama lui de joc, și mă ridic drept!",
        "Gata! N-am nimic pe tablă și nicio rușine.",
        "Am închis, să-mi pup piesele una câte una!",
    ),
    Occasion.CLOSES_WITH_JOKER: (
        "Cu Jokerul, futu-i! Dublu și cu fundă!",
        "Joker la final, de mi s-a făcut părul măciucă.",
        "Îl trântesc pe Joker și plec la bere, drace!",
    ),
    Occasion.ROUND_WON: (
        "Ce rundă porcească de bună am avut!",
        "I-am rupt foaia în două, de bună ce-a fost.",
        "Suta aia mi-o tatuez pe cur.",
    ),
    Occasion.CAUGHT: (
        "M-a prins cu izmenele-n vine și tabla plină.",
        "Am rămas cu toate rahaturile în mână. Clasic.",
        "Băga-mi-aș picioarele în tabla asta, iar m-a ars la socoteală!",
    ),
    Occasion.FEW_TILES_THERE: (
        "Runda-i pe ducă și eu nici chiloții nu mi-am tras. Adică piesele.",
        "Pute a închidere, frate, dați-mi o piesă ca lumea!",
        "Se termină repede, drăcia dracului, și eu cu traista plină.",
    ),
    Occasion.STUCK: (
        "Nimic, nada, zero! Piese de aruncat în baltă.",
        "Aștept o suită ca pe tramvaiul de noapte, înjurând.",
        "Se duce teancul dracului și eu tot neetalat.",
    ),
    Occasion.REMI_WINNING: (
        "Conduc, și nu-mi vine să cred nici mie, pe bune.",
        "Sunt sus de tot, de-mi vine amețeala, fir-ar!",
        "Noroc porcesc la piese, și nu mă plâng deloc.",
    ),
    Occasion.REMI_LOSING: (
        "Sunt la fund, dar nu mă las, ca râia.",
        "Scor de plâns, piese de râs. Rahat cu dungi.",
        "Mai am puțin și dau de petrol, așa jos sunt.",
    ),
    Occasion.REMI_WAITING: (
        "Ce piese de rahat, nici la șotron nu-s bune!",
        "Lipsește una, mereu aia, mama ei de piesă!",
        "Toate negre, ca viața mea sentimentală.",
        "Rearanjez prostiile astea a cincea oară, drace.",
    ),
}

POLITE_EN: dict[Occasion, tuple[str, ...]] = {
    Occasion.REMI_GREETING: (
        "Good evening. My tiles arrived in slippers.",
        "The rack is tidy. That will not last.",
        "Nice table. I keep a warm seat for a Joker.",
    ),
    Occasion.OPENS: (
        "I have opened. It is so bright on my rack now.",
        "Forty-five, run included. A receipt, please.",
        "At last I am in the game and not just on the chair.",
    ),
    Occasion.LAYS_OFF: (
        "One more for that row, it looked lonely.",
        "It belonged there all along; nobody told me.",
        "A small patch, neatly sewn.",
    ),
    Occasion.SWAPS_JOKER: (
        "I shall take the Joker; it was only standing about.",
        "A fair exchange: a tile for a Joker.",
        "Welcome home, Joker.",
    ),
    Occasion.BREAKS_ROW: (
        "I break the row. Mind the splinters.",
        "The good ones are always at the bottom.",
        "So many tiles at once; I may need a longer rack.",
    ),
    Occasion.ANNOUNCES_ATU: (
        "The Atu is with me. Fifty, thank you kindly.",
        "I hold the twin of the one on the table.",
        "Atu, present! Put it on the sheet, please.",
    ),
    Occasion.ANNOUNCES_TWO_TILES: (
        "Two tiles! Said aloud, so nobody can complain.",
        "Two tiles, and the longest part of the way.",
        "I announce two tiles and hold my breath.",
    ),
    Occasion.CLOSES: (
        "Closed! An empty rack is a lovely sight.",
        "Nothing left, and how well nothing suits me.",
        "The last tile has gone for a walk. I close.",
    ),
    Occasion.CLOSES_WITH_JOKER: (
        "The Joker goes last. Doubled, and gift-wrapped.",
        "I saved the Joker for dessert.",
        "Closing with a Joker: I shall tell my grandchildren.",
    ),
    Occasion.ROUND_WON: (
        "A fine round. I would order the same again.",
        "That round worked out, and I am as surprised as the sheet.",
        "The hundred for closing suits me rather well.",
    ),
    Occasion.CAUGHT: (
        "Caught with a full rack, like a child with the jar.",
        "I had stored tiles for the winter. Then came the bill.",
        "So many points in hand, I could have opened a shop.",
    ),
    Occasion.FEW_TILES_THERE: (
        "It smells of closing nearby. I had better hurry.",
        "Tiles get fewer over there and more over here.",
        "There is a draught from the door. I gather my tiles.",
    ),
    Occasion.STUCK: (
        "The pile shrinks and my rack does not.",
        "If you see a run of mine, tell it that I am waiting.",
        "I am not stuck, I am ripening.",
    ),
    Occasion.REMI_WINNING: (
        "In front. I touch wood; the rack will do.",
        "The sheet looks well. Let nobody move it.",
        "Forward, slowly, with the tiles in order.",
    ),
    Occasion.REMI_LOSING: (
        "My score is a minus in very neat handwriting.",
        "I shall catch up as soon as I start moving.",
        "Nothing is below me, so it can only go up.",
    ),
    Occasion.REMI_WAITING: (
        "My tiles are arguing about colours.",
        "I have all that I do not need, in two copies.",
        "It is always the one in the middle that is missing.",
        "I push tiles to and fro. That is how I think.",
    ),
}

UNCENSORED_EN: dict[Occasion, tuple[str, ...]] = {
    Occasion.REMI_GREETING: (
        "Evening! This rack looks like a bloody flea market.",
        "Whoever shuffled these tiles, damn it, did it with a shovel.",
        "Let us start before my tiles rot, hell!",
    ),
    Occasion.OPENS: (
        "Down they go! I thought I would die with that crap on my rack.",
        "There, forty-five, choke on it, table!",
        "Opened at bloody last!",
    ),
    Occasion.LAYS_OFF: (
        "Stick it there and not a peep, tile.",
        "Smack on the tail, like a damn stamp.",
        "Off to your mother, little bugger.",
    ),
    Occasion.SWAPS_JOKER: (
        "Come to daddy, you grinning little bastard of a Joker!",
        "Robbed in broad daylight, and it is legal, damn it.",
        "The Joker is mine, hell yes!",
    ),
    Occasion.BREAKS_ROW: (
        "I rip it open, let them hear it in the street!",
        "I take the whole heap, rubbish and all, sod it.",
        "Broken! Now I have tiles enough to brick up the bloody door.",
    ),
    Occasion.ANNOUNCES_ATU: (
        "Atu, damn right! Fifty for nothing.",
        "I have its twin, lucky as hell.",
        "The Atu sits here, blow the trumpets, dammit!",
    ),
    Occasion.ANNOUNCES_TWO_TILES: (
        "Two tiles! I am not paying five hundred for keeping my trap shut.",
        "Two, and my knees are knocking like hell.",
        "Two tiles, said loud enough to wake the dead, damn it.",
    ),
    Occasion.CLOSES: (
        "Closed, you glorious pile of junk!",
        "Not one damn tile left, and no shame either.",
        "I close, and I could snog every bloody tile.",
    ),
    Occasion.CLOSES_WITH_JOKER: (
        "With the Joker, hell yes! Doubled, with a bow on its arse.",
        "Joker last. My hair stands up, all of it, dammit.",
        "I slam the Joker down and go for a bloody beer.",
    ),
    Occasion.ROUND_WON: (
        "What a filthy good round that was!",
        "I tore that sheet a new one, hell.",
        "That hundred I will have tattooed on my backside.",
    ),
    Occasion.CAUGHT: (
        "Caught with my pants down and a full rack, dammit.",
        "All that crap stayed in my hand. Typical.",
        "Screw this rack, it cost me again!",
    ),
    Occasion.FEW_TILES_THERE: (
        "This round is nearly done and I am still in my bloody underwear.",
        "It stinks of closing. Give me one decent tile, damn it!",
        "Over soon, and me with a sack full of crap.",
    ),
    Occasion.STUCK: (
        "Nothing, nada, zilch! These tiles belong in a damn pond.",
        "I wait for a run like for a night bus in hell.",
        "There goes the pile, and I have not laid a bloody thing.",
    ),
    Occasion.REMI_WINNING: (
        "I am ahead, and hell knows how.",
        "So high up that I get dizzy, dammit.",
        "Filthy luck with tiles, and no complaints.",
    ),
    Occasion.REMI_LOSING: (
        "At the bottom, but I cling on like a bloody rash.",
        "A score to weep at, tiles to laugh at. Crap with stripes.",
        "A little lower and I strike oil, damn it.",
    ),
    Occasion.REMI_WAITING: (
        "Crap tiles. Not even good for hopscotch.",
        "One is missing, always the same damn one!",
        "All black, like my bloody love life.",
        "I sort this junk for the fifth time, hell.",
    ),
}
