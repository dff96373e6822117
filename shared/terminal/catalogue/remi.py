"""Remi, in Romanian and in English."""

from collections.abc import Mapping
from typing import Final

TEXTS: Final[Mapping[str, tuple[str, str]]] = {
    "remi.title": ("Remi", "Remi"),
    "remi.letters": ("RGAN", "RYBK"),
    "remi.joker.letter": ("J", "J"),
    "remi.rounds": ("Runde", "Rounds"),
    "remi.rounds.one": ("o rundă", "one round"),
    "remi.rounds.many": ("{rounds} runde", "{rounds} rounds"),
    # Above the board.
    "remi.round": ("Runda {number}/{rounds}", "Round {number}/{rounds}"),
    "remi.first": ("a început {name}", "{name} began"),
    "remi.doubled": ("joc dublu ×2", "doubled ×2"),
    "remi.atu": ("Atu ", "Atu "),
    "remi.atu.taken": ("Atu luat ({tile})", "Atu taken ({tile})"),
    "remi.atu.joker": ("Atu a fost Joker", "the Atu was a Joker"),
    "remi.pile": ("teanc {tiles}", "pile {tiles}"),
    "remi.pile.last": ("teanc gol: ultimul rând", "pile empty: last turn"),
    "remi.must_use": ("de folosit acum ", "to be used now "),
    "remi.idle": ("{turns} rânduri fără mișcare", "{turns} turns without a move"),
    # On the board.
    "remi.row": ("Rând ", "Row  "),
    "remi.row.empty": ("gol", "empty"),
    "remi.table.empty": ("Nicio combinație pe masă.", "No combination on the table."),
    "remi.seat.laid": ("etalat {points}", "laid {points}"),
    "remi.seat.not_laid": ("neetalat", "not laid"),
    "remi.seat.tiles": ("{tiles} piese", "{tiles} tiles"),
    "remi.seat.one": ("o piesă", "one tile"),
    "remi.seat.none": ("a închis!", "closed!"),
    "remi.seat.two": ("2!", "2!"),
    "remi.seat.missed": ("−500", "−500"),
    # What Enter does.
    "remi.enter.discard": (
        "Enter aruncă {tile}, cu care încheiați rândul.",
        "Enter discards {tile} and ends the turn.",
    ),
    "remi.enter.lay": ("Enter etalează {tiles} ({number} p).", "Enter lays {tiles} ({number} pts)."),
    "remi.enter.lay.not": ("{tiles}: nu fac (încă) o combinație.", "{tiles}: no combination (yet)."),
    "remi.enter.add": ("Enter lipește {tiles}.", "Enter adds {tiles}."),
    "remi.enter.take": ("Enter ia {tiles}", "Enter takes {tiles}"),
    "remi.enter.take.many": ("{number} piese până la {tile}", "{number} tiles up to {tile}"),
    "remi.enter.take.duty": (" · {tile} se folosește pe loc", " · {tile} has to be used at once"),
    "remi.enter.pick": ("{number}/{of}: {tiles}", "{number}/{of}: {tiles}"),
    "remi.joker.is": (" · J = {tiles}", " · J = {tiles}"),
    "remi.or": ("/", "/"),
    "remi.meld": ("{tiles} · {points} p · {name}", "{tiles} · {points} pts · {name}"),
    # The draft.
    "remi.draft.first": ("Etalare: {points}/45", "First meld: {points}/45"),
    "remi.draft.no_run": (", lipsește o suită", ", a run is missing"),
    "remi.draft.ready": (" ✓ · Enter etalează", " ✓ · Enter lays"),
    "remi.draft.more": (" · mai puneți", " · go on"),
    "remi.draft.laid": ("etalez {points} p", "lay {points} pts"),
    "remi.draft.added": ("lipesc {tiles}", "add {tiles}"),
    "remi.draft.swapped": ("iau Jokerul cu {tiles}", "take the Joker with {tiles}"),
    "remi.draft.atu": ("iau Atu {tiles}", "take the Atu {tiles}"),
    "remi.draft.announced": ("anunț", "announce"),
    "remi.draft.discarded": ("arunc {tiles}", "discard {tiles}"),
    "remi.draft.send": (" · Enter joacă", " · Enter plays"),
    "remi.hint": ("Botul ar juca: {action}", "A bot would play: {action}"),
    # Questions and remarks.
    "remi.ask.order": ("Cum? ", "How? "),
    "remi.ask.where": ("Unde? ", "Where? "),
    "remi.ask.joker": ("Care Joker? ", "Which Joker? "),
    "remi.joker.pending": (
        "Jokerul luat se pune pe loc într-o combinație nouă: marcați-o, apoi E.",
        "The Joker has to be laid at once in a new combination: mark it, then E.",
    ),
    "remi.no_combination": ("{tiles} nu fac o combinație.", "{tiles} make no combination."),
    "remi.no_place": ("{tiles}: nu se lipește nicăieri pe masă.", "{tiles}: fits nothing on the table."),
    "remi.no_joker": ("{tiles}: niciun Joker nu îi ține locul.", "{tiles}: no Joker stands for it."),
    "remi.only_own": (
        "{tiles}: până trece rândul primei etalări, numai la combinațiile dvs.",
        "{tiles}: until the turn of your first meld is over, only your own combinations are open.",
    ),
    "remi.mark_first": (
        "Marcați piesele cu Spațiu; când fac o combinație, E le etalează.",
        "Mark tiles with Space; when they make a combination, E lays them.",
    ),
    "remi.point_first": ("Alegeți întâi o piesă: ←→ sau cifra ei.", "Choose a tile first: ←→ or its digit."),
    "remi.nothing_to_undo": ("Nu este nimic de luat înapoi.", "There is nothing to take back."),
    "remi.nothing_to_announce": ("Nu aveți nimic de anunțat acum.", "You have nothing to announce now."),
    "remi.draw_first": (
        "Întâi luați o piesă: P din teanc, I din rând.",
        "Get a tile first: P from the pile, I from the row.",
    ),
    "remi.wait": (
        "Nu este rândul dvs.; puteți sorta (S) și grupa (Spațiu, U).",
        "It is not your turn; you may sort (S) and group (Space, U).",
    ),
    "remi.wait_draw": ("Din rând se ia la începutul rândului dvs.", "Tiles are taken at the beginning of your turn."),
    "remi.no_take": ("Din rând nu puteți lua nimic acum.", "There is nothing that you may take from the row now."),
    "remi.take_opens": (
        "Cu ultima piesă din rând puteți etala: I, apoi Enter.",
        "With the last tile of the row you can open: I, then Enter.",
    ),
    "remi.no_proposal": ("Acum nu se poate etala nimic.", "Nothing can be laid now."),
    "remi.proposal": (
        "Propunerea {number}/{of}: Enter joacă, O alta, Z înapoi.",
        "Proposal {number}/{of}: Enter plays it, O another, Z back.",
    ),
    "remi.no_atu": ("Cu Atu nu puteți închide acum.", "You cannot close with the Atu now."),
    "remi.atu.left": (
        "Cu Atu se închide: mai rămân {number} piese de pus pe masă.",
        "The Atu is for closing: {number} tiles are still to be laid.",
    ),
    "remi.atu.no_swap": ("Când luați Atu nu puteți schimba un Joker.", "With the Atu no Joker can be swapped."),
    "remi.barred": (
        "{tiles} tocmai a fost luată din rând: aruncați alta.",
        "{tiles} was just taken from the row: discard another.",
    ),
    "remi.duty": (
        "Întâi folosiți {tiles}, sau R o pune la loc și trage din teanc.",
        "Use {tiles} first, or R gives it back and draws from the pile.",
    ),
    # Buttons.
    "remi.key.draw": ("Din teanc", "Pile"),
    "remi.key.take": ("Din rând", "Row"),
    "remi.key.lay": ("Etalez", "Lay"),
    "remi.key.add": ("Lipesc", "Add"),
    "remi.key.swap": ("Iau Jokerul", "Swap Joker"),
    "remi.key.group": ("Grupez", "Group"),
    "remi.key.back": ("Înapoi", "Undo"),
    "remi.key.atu": ("Închid cu Atu!", "Close with the Atu!"),
    "remi.key.announce.atu": ("Anunț Atu (+50)", "Announce the Atu (+50)"),
    "remi.key.announce.two": ("Anunț: două piese!", "Announce: two tiles!"),
    "remi.key.return": ("Pun la loc", "Give back"),
    "remi.key.propose": ("Pot etala?", "Can I lay?"),
    "remi.key.sort.colour": ("Pe culori", "By colour"),
    "remi.key.sort.number": ("Pe numere", "By number"),
    "remi.key.discard": ("Arunc {tile}", "Discard {tile}"),
    "remi.key.play": ("Joc", "Play"),
    # Prompts.
    "remi.prompt.draw": ("Luați o piesă: P din teanc{row}.", "Get a tile: P from the pile{row}."),
    "remi.prompt.draw.row": (", I din rând", ", I from the row"),
    "remi.prompt.meld": ("Etalați sau lipiți, apoi aruncați o piesă.", "Lay or add, then discard a tile."),
    "remi.prompt.opening": ("Începeți: aruncați o piesă.", "You begin: discard a tile."),
    "remi.wait.draw": ("{name} ia o piesă", "{name} gets a tile"),
    "remi.wait.meld": ("{name} etalează sau aruncă", "{name} lays or discards"),
    # What was done, and what happened.
    "remi.did.draw": ("{name} trage din teanc.", "{name} draws from the pile."),
    "remi.did.taken": ("{name} ia din rând ", "{name} takes from the row "),
    "remi.did.undo": ("{name} pune la loc și trage din teanc.", "{name} gives it back and draws from the pile."),
    "remi.did.lay": ("etalează ", "lays "),
    "remi.did.add": ("lipește ", "adds "),
    "remi.did.swap": ("ia Jokerul cu ", "takes the Joker with "),
    "remi.did.swap.new": (" și etalează ", " and lays "),
    "remi.did.announce.atu": ("anunță Atu", "announces the Atu"),
    "remi.did.announce.two": ("anunță: două piese!", "announces: two tiles!"),
    "remi.did.discard": ("aruncă ", "discards "),
    "remi.did.atu": ("ia Atu și închide: ", "takes the Atu and closes: "),
    "remi.say.draw": ("trag din teanc", "draw from the pile"),
    "remi.say.take": ("iau din rând", "take from the row"),
    "remi.say.undo": ("pun la loc și trag din teanc", "give back and draw from the pile"),
    "remi.say.announce.atu": ("anunț Atu", "announce the Atu"),
    "remi.say.announce.two": ("anunț două piese", "announce two tiles"),
    "remi.say.discard": ("arunc {tiles}", "discard {tiles}"),
    "remi.say.lay": ("etalez {tiles}", "lay {tiles}"),
    "remi.say.add": ("lipesc {tiles}", "add {tiles}"),
    "remi.say.swap": ("iau Jokerul cu {tiles}", "take the Joker with {tiles}"),
    "remi.say.atu": ("închid cu Atu", "close with the Atu"),
    "remi.dealt": ("Runda {number}: începe {name}. Atu: ", "Round {number}: {name} begins. Atu: "),
    "remi.dealt.joker": (
        "Runda {number}: Atu este Joker și îl primește {name}, care începe.",
        "Round {number}: the Atu is a Joker and goes to {name}, who begins.",
    ),
    "remi.dealt.doubled": (" Joc dublu!", " Doubled!"),
    "remi.opened": ("{name} s-a etalat cu {points} de puncte.", "{name} has opened with {points} points."),
    "remi.few.one": ("{name} mai are o piesă!", "{name} has one tile left!"),
    "remi.few.none": ("{name} nu mai are nicio piesă.", "{name} has no tile left."),
    "remi.few": ("{name} mai are {tiles} piese!", "{name} has {tiles} tiles left!"),
    "remi.missed": ("{name} nu a anunțat două piese: −500.", "{name} did not announce two tiles: −500."),
    "remi.exhausted": ("Teancul s-a terminat: este ultimul rând.", "The pile is exhausted: this is the last turn."),
    "remi.closed": ("{name} închide!", "{name} closes!"),
    "remi.closed.joker": ("{name} închide cu Jokerul: punctele se dublează!", "{name} closes with a Joker: doubled!"),
    "remi.ended.pile": ("Teancul s-a terminat: nu închide nimeni.", "The pile is exhausted: nobody closes."),
    "remi.ended.idle": ("Nu se mai mișcă nimic: nu închide nimeni.", "Nothing moves any more: nobody closes."),
    "remi.scored": ("Scor: {changes}", "Score: {changes}"),
    # The score sheet.
    "remi.sheet.heading": ("Runda {number} · Atu {tile} · {ending}", "Round {number} · Atu {tile} · {ending}"),
    "remi.sheet.closed": ("a închis {name}", "{name} closed"),
    "remi.sheet.closed.joker": ("a închis {name} cu Joker", "{name} closed with a Joker"),
    "remi.sheet.pile": ("teanc terminat", "pile exhausted"),
    "remi.sheet.idle": ("fără mișcare", "nothing moved"),
    "remi.sheet.laid": ("etalat", "laid"),
    "remi.sheet.hand": ("în mână", "in hand"),
    "remi.sheet.closing": ("închidere", "closing"),
    "remi.sheet.atu": ("Atu", "Atu"),
    "remi.sheet.two": ("două piese", "two tiles"),
    "remi.sheet.factor": ("înmulțit", "multiplied"),
    "remi.sheet.penalty": ("neanunțat", "not announced"),
    "remi.sheet.points": ("runda", "round"),
    "remi.sheet.not_melded": ("neetalat", "not laid"),
    "remi.help": (
        """\
[b]Tastele la Remi[/b]
←→ sau cifra (0: 10–13, *: Joker) merg la o piesă, Spațiu o marchează, ↑↓ merg la masă și la rând.
E etalează ce e marcat sau grupat · L lipește · J ia Jokerul · U grupează și desparte · Z înapoi · S sortează
O propune ce se poate etala · N anunță · R pune la loc ce ați luat · Enter face ce scrie deasupra mâinii.
Ce puneți pe masă cu verde deschis se joacă abia la Enter sau la aruncare; până atunci Z ia totul înapoi.
[b]Semne[/b]: ¹²³⁴ cine a pus piesa · J7 sau ☺7 Joker în locul lui 7 · + piesa nouă · ● marcată \
· × nu se ia, nu se aruncă · Atu, 2! anunțate · −500 neanunțat

[b]Remi 106[/b]: scăpați primul de toate piesele. Fiecare are 14 piese; cine începe are 15 și nu trage la primul rând.
[b]Combinații[/b]: suita (3 sau mai multe la rând, de o culoare; 1 stă înainte de 2 sau după 13) și terța (3–4 piese \
cu același număr, de culori diferite). Jokerul ține locul oricărei piese; la un Joker trebuie două piese adevărate.
[b]Rândul dvs.[/b]: luați o piesă (P din teanc, I din rând), etalați și lipiți, aruncați o piesă (Enter).
[b]Prima etalare[/b]: cel puțin 45 de puncte, cu o suită: 2–9 fac 5, 10–13 fac 10, 1 face 5 înainte de 2, altfel 10. \
În rândul ei se lipește numai la combinațiile proprii.
[b]Din rând[/b]: neetalat, numai ultima piesă și numai dacă vă etalați pe loc cu ea; etalat, orice piesă cu toate cele \
de deasupra, iar cea mai de jos se folosește pe loc. Prima piesă aruncată (×) nu se ia. Cu 1–2 piese nu se ia din rând.
[b]Jokerul[/b] de pe masă se ia cu piesa căreia îi ține locul și se pune pe loc într-o combinație nouă.
[b]Atu[/b]: cine are piesa la fel o anunță (N) la primul său rând: +50. Atu se ia numai ca să închideți cu el (W).
[b]Două piese[/b]: se anunță (N) înainte de a arunca din două piese; altfel −500.
[b]Puncte[/b]: cine închide +100, două piese anunțate +25; ultima piesă Joker ×2; Atu 1: joc dublu. Ceilalți scad \
ce le-a rămas (1 face 25, Joker 50; culoarea Atu dublu; cine nu s-a etalat, dublu).""",
        """\
[b]Keys at Remi[/b]
←→ or a digit (0: 10–13, *: Joker) go to a tile, Space marks it, ↑↓ go to the table and the row.
E lays what is marked or grouped · L adds · J takes a Joker · U groups and parts · Z undoes · S sorts
O proposes what can be laid · N announces · R gives back what you took · Enter does what is said above the hand.
What you put on the table in light green is played only by Enter or with the discard; until then Z takes it back.
[b]Marks[/b]: ¹²³⁴ who placed the tile · J7 or ☺7 a Joker for the 7 · + new · ● marked \
· × not to be taken or discarded · Atu, 2! announced · −500 not announced

[b]Remi 106[/b]: be the first to get rid of all tiles. Everybody has 14; who begins has 15 and does not draw at first.
[b]Combinations[/b]: runs (3 or more in a row of one colour; 1 goes before 2 or after 13) and sets (3–4 tiles of one \
number in different colours). A Joker stands for any tile; each Joker needs two real tiles beside it.
[b]A turn[/b]: get a tile (P from the pile, I from the row), lay and add, discard a tile (Enter).
[b]The first meld[/b]: at least 45 points, with a run: 2–9 count 5, 10–13 count 10, 1 counts 5 before 2, else 10. \
In its turn tiles are added to one's own combinations only.
[b]From the row[/b]: before your first meld only the last tile, and only to open with it at once; after it any tile \
with all above it, and the lowest has to be used at once. The first discard (×) is never taken. With 1–2 tiles: none.
[b]A Joker[/b] on the table is taken with the tile that it stands for, and laid at once in a new combination.
[b]Atu[/b]: who holds its twin announces it (N) in the first turn: +50. It is taken only to close with it (W).
[b]Two tiles[/b] are announced (N) before discarding from two tiles; else −500.
[b]Points[/b]: closing +100, two tiles announced +25; last tile a Joker ×2; Atu 1: doubled. The others lose what they \
hold (1 counts 25, a Joker 50; the colour of the Atu twice; without a first meld twice).""",
    ),
}
