"""Rentz, in Romanian and in English."""

from collections.abc import Mapping
from typing import Final

TEXTS: Final[Mapping[str, tuple[str, str]]] = {
    "rentz.title": ("Rentz", "Rentz"),
    "rentz.name.king": ("Rege de cupă", "King of hearts"),
    "rentz.name.queens": ("Dame", "Queens"),
    "rentz.name.diamonds": ("Carouri", "Diamonds"),
    "rentz.name.tricks": ("Levate", "Tricks"),
    "rentz.name.totale": ("Totale", "Totale"),
    "rentz.name.ten": ("10 de treflă", "Ten of clubs"),
    "rentz.name.whist": ("Whist", "Whist"),
    "rentz.name.rentz": ("Rentz", "Rentz"),
    "rentz.mark.king": ("K", "K"),
    "rentz.mark.queens": ("Q", "Q"),
    "rentz.mark.diamonds": ("♦", "♦"),
    "rentz.mark.tricks": ("L", "L"),
    "rentz.mark.totale": ("T", "T"),
    "rentz.mark.ten": ("♣", "♣"),
    "rentz.mark.whist": ("W", "W"),
    "rentz.mark.rentz": ("R", "R"),
    "rentz.figures.king": ("−200", "−200"),
    "rentz.figures.queens": ("4×−40", "4×−40"),
    "rentz.figures.diamonds": ("8×−30", "8×−30"),
    "rentz.figures.tricks": ("8×−50", "8×−50"),
    "rentz.figures.totale": ("−1000", "−1000"),
    "rentz.figures.ten": ("+200", "+200"),
    "rentz.figures.whist": ("8×+50", "8×+50"),
    "rentz.figures.rentz": ("+400 +200 +100", "+400 +200 +100"),
    "rentz.rule.king": ("cine ia K♥: −200", "whoever takes K♥: −200"),
    "rentz.rule.queens": ("fiecare damă: −40", "each queen: −40"),
    "rentz.rule.diamonds": ("fiecare caro: −30", "each diamond: −30"),
    "rentz.rule.tricks": ("fiecare levată: −50", "each trick: −50"),
    "rentz.rule.totale": ("K♥ −200 Q −40 ♦ −30 lev. −50", "K♥ −200 Q −40 ♦ −30 tr. −50"),
    "rentz.rule.ten": ("cine ia 10♣: +200", "whoever takes 10♣: +200"),
    "rentz.rule.whist": ("fiecare levată: +50", "each trick: +50"),
    "rentz.rule.rentz": ("locuri: +400, +200, +100, 0", "places: +400, +200, +100, 0"),
    "rentz.hand": ("Mâna {number}/{hands}", "Hand {number}/{hands}"),
    "rentz.round": ("Runda {round}/{rounds}", "Round {round}/{rounds}"),
    "rentz.chooser": ("alege {name}", "{name} chooses"),
    "rentz.chose": ("a ales {name}", "{name} chose"),
    "rentz.left": ("are încă de ales: {marks}", "still to choose: {marks}"),
    "rentz.choosing": ("Alege {name}", "Choosing: {name}"),
    "rentz.again": ("As, încă o mutare: {name}", "Ace, another move: {name}"),
    "rentz.prompt.choose": ("Alegeți subjocul.", "Choose the subgame."),
    "rentz.wait.choose": ("{name} alege subjocul", "{name} chooses the subgame"),
    "rentz.seat.tricks": ("{tricks} lev.", "{tricks} tr."),
    "rentz.seat.cards": ("{cards} c.", "{cards} c."),
    "rentz.seat.place": ("locul {place}", "place {place}"),
    "rentz.seat.passed": ("pas", "pass"),
    "rentz.seat.waited": ("stă", "waits"),
    "rentz.chooses_first": ("alege {name}.", "{name} chooses."),
    "rentz.dealt": ("Mâna {number}: alege {name}.", "Hand {number}: {name} chooses."),
    "rentz.passed": ("{name} nu are carte potrivită: pas.", "{name} has no card that fits: pass."),
    "rentz.waited": ("{name} stă o tură, din cauza unui 7.", "{name} waits a turn because of a 7."),
    "rentz.moves_again": ("{name} a pus un as și mută din nou.", "{name} placed an ace and moves again."),
    "rentz.finished": ("{name} a terminat cărțile: locul {place}.", "{name} has no cards left: place {place}."),
    "rentz.sheet.round": ("Runda {round}", "Round {round}"),
    "rentz.sheet.row": ("{number}. {subgame}", "{number}. {subgame}"),
    "rentz.sheet.present": ("Mâna {number}, în joc: {subgame}", "Hand {number}, being played: {subgame}"),
    "rentz.sheet.points": ("Puncte", "Points"),
    "rentz.sheet.captured": ("Luate", "Captured"),
    "rentz.sheet.chosen": ("Cine ce a ales, în ce rundă", "Who chose what, in which round"),
    "rentz.help": (
        """\
[b]Rentz[/b]: patru jucători, 32 de cărți (7–A), câte 8 fiecare; câștigă cine are cele mai multe puncte după 8 runde, \
adică 32 de mâini. La fiecare mână alege altul, după ce și-a văzut cărțile, unul dintre subjocurile pe care nu le-a \
ales încă (fiecare pe toate opt, câte o dată), și tot el deschide. Primul alege cine trage cartea cea mai mare.

[b]Cu levate[/b], fără atu: se răspunde la culoare; cine nu are culoarea pune orice. Ia levata cartea cea mai mare din \
culoarea cerută (A K Q J 10 9 8 7); cine ia, deschide. Mâna se încheie când nu mai este nimic de luat.
Negative: [b]Rege de cupă[/b] K♥ −200 · [b]Dame[/b] −40 fiecare · [b]Carouri[/b] −30 fiecare · [b]Levate[/b] −50 \
fiecare · [b]Totale[/b] toate acestea deodată (Q♦ este și damă, și caro).
Pozitive: [b]10 de treflă[/b] 10♣ +200 · [b]Whist[/b] +50 de levată.

[b]Rentz[/b]: scăpați primul de cărți, așezându-le pe masă. Se potrivesc valeții și vecinele cărților de pe masă, în \
aceeași culoare. Cine are o carte potrivită trebuie să pună una; altfel pasul se face singur.
Un as dă încă o mutare. După un 7, următorul jucător care mai are cărți stă o tură.
Primul fără cărți +400, al doilea +200, al treilea +100, ultimul 0.

[b]Semne[/b]: ◆ a ales · pe masă, cărțile fără fond se potrivesc acum · (−40): mâna de față · Q♠♥ ♦A9: dame și carouri \
luate · K Q ♦ L T ♣ W R: subjocurile, și în ce rundă le-a ales fiecare · cartea galbenă ține levata.""",
        """\
[b]Rentz[/b]: four players, 32 cards (7–A), 8 each; most points after 8 rounds, that is 32 hands, win. In every hand \
another player, having seen the cards, chooses one of the subgames that this player has not chosen yet (everybody all \
eight, once each), and leads. Who draws the highest card chooses first.

[b]With tricks[/b], no trump: follow suit; without the suit play anything. The highest card of the suit led takes the \
trick (A K Q J 10 9 8 7); the taker leads. A hand ends when there is nothing left to be taken.
Negative: [b]King of hearts[/b] K♥ −200 · [b]Queens[/b] −40 each · [b]Diamonds[/b] −30 each · [b]Tricks[/b] −50 each · \
[b]Totale[/b] all of these at once (Q♦ is both a queen and a diamond).
Positive: [b]Ten of clubs[/b] 10♣ +200 · [b]Whist[/b] +50 a trick.

[b]Rentz[/b]: be the first to get rid of your cards by laying them out. What fits: the jacks, and the neighbours of \
cards on the table in their suit. Who has a card that fits must place one; otherwise the pass is made by itself.
An ace gives another move. After a 7, the next player who still has cards waits a turn.
First without cards +400, second +200, third +100, last 0.

[b]Marks[/b]: ◆ chose · on the table, cards without paper fit now · (−40): the present hand · Q♠♥ ♦A9: queens and \
diamonds captured · a yellow card holds the trick · \
K Q ♦ L T ♣ W R: the subgames, and in which round each was chosen.""",
    ),
}
