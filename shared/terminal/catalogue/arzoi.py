"""Arzoi, in Romanian and in English."""

from collections.abc import Mapping
from typing import Final

TEXTS: Final[Mapping[str, tuple[str, str]]] = {
    "arzoi.title": ("Arzoi", "Arzoi"),
    "arzoi.no_whist_of_2": ("Whist de 2", "Whist of 2"),
    "arzoi.with_2": ("se joacă", "played"),
    "arzoi.without_2": ("fără whist de 2", "no whist of 2"),
    "arzoi.whist": ("Whist de {cards}", "Whist of {cards}"),
    "arzoi.septica": ("Șeptica", "Șeptica"),
    "arzoi.septica.short": ("Ș", "Ș"),
    "arzoi.totale_minus": ("Totale−", "Totale−"),
    "arzoi.totale_plus": ("Totale+", "Totale+"),
    "arzoi.orbit": ("Orbita {orbit}", "Orbit {orbit}"),
    "arzoi.round": ("runda {round}/{rounds}", "round {round}/{rounds}"),
    "arzoi.left": ("De ales: {variants}", "To choose: {variants}"),
    "arzoi.chooser": ("alege {name}", "{name} chooses"),
    "arzoi.chose": ("a ales {name}", "{name} chose"),
    "arzoi.totale_left": ("urmează Totale: {minus}−  {plus}+", "Totale to come: {minus}−  {plus}+"),
    "arzoi.stock": ("Talon {stock}", "Stock {stock}"),
    "arzoi.aside": ("deoparte {cards}", "set aside {cards}"),
    "arzoi.team": ("E{team} {points}p", "T{team} {points}p"),
    "arzoi.detail.tricks": ("{tricks} lev.", "{tricks} tr."),
    "arzoi.detail.team": ("E{team} {tricks} lev.", "T{team} {tricks} tr."),
    "arzoi.detail.points": ("{points} p.", "{points} pts"),
    "arzoi.is_choosing": ("alege ce se joacă", "chooses what is played"),
    "arzoi.prompt.choose": ("Alegeți ce se joacă.", "Choose what is played."),
    "arzoi.prompt.continue": (
        "Mergeți mai departe cu o carte, sau lăsați levata.",
        "Go on with a card, or leave the trick.",
    ),
    "arzoi.wait.choose": ("{name} alege ce se joacă", "{name} chooses what is played"),
    "arzoi.wait.continue": ("{name}: merge mai departe sau lasă?", "{name}: go on or leave?"),
    "arzoi.leave": ("Las levata", "Leave the trick"),
    "arzoi.say.choose": ("{variant}", "{variant}"),
    "arzoi.say.leave": ("las levata", "leave the trick"),
    "arzoi.did.leave": ("{name} lasă levata.", "{name} leaves the trick."),
    "arzoi.dealt": (
        "{part}, runda {round}: {name} dă câte {cards}.",
        "{part}, round {round}: {name} deals {cards} each.",
    ),
    "arzoi.dealt.again": (
        "Runda {round} din nou, ×{multiplier}: {name} dă câte {cards}.",
        "Round {round} again, ×{multiplier}: {name} deals {cards} each.",
    ),
    "arzoi.took.points": ("{name} ia levata, puncte: {points}.", "{name} takes the trick, points: {points}."),
    "arzoi.all_burned": ("Toți s-au ars: runda se repetă, dublu.", "All burned: the round is replayed, doubled."),
    "arzoi.tie": ("Egalitate: runda se repetă, dublu.", "A tie: the round is replayed, doubled."),
    "arzoi.bonus": ("Orbită perfectă: {changes}", "Perfect orbit: {changes}"),
    "arzoi.orbit_over": ("{variant} s-a încheiat.", "{variant} is over."),
    "arzoi.orbit_early": ("{variant} se încheie: toți s-au ars.", "{variant} ends early: everybody has burned."),
    "arzoi.perfect": ("Nearși: {names}.", "Never burned: {names}."),
    "arzoi.totale_follow": (
        "Urmează Totale−: {minus}, Totale+: {plus}.",
        "Totale− to follow: {minus}, Totale+: {plus}.",
    ),
    "arzoi.sheet.heading": ("Orbita {orbit} · {variant}", "Orbit {orbit} · {variant}"),
    "arzoi.sheet.round": ("{part} {round}", "{part} {round}"),
    "arzoi.sheet.whist": ("runda", "round"),
    "arzoi.sheet.minus": ("Totale−", "Totale−"),
    "arzoi.sheet.plus": ("Totale+", "Totale+"),
    "arzoi.sheet.septica": ("Șeptica", "Șeptica"),
    "arzoi.sheet.bonus": ("perfectă", "perfect"),
    "arzoi.help": (
        """\
[b]Scopul[/b]: să nu te arzi, și să ai cele mai multe puncte când toate variantele s-au jucat.
Cine alege spune ce se joacă: un whist (2, 3, … cărți) sau Șeptica; fiecare o singură dată.
O orbită are câte o rundă pentru fiecare jucător; apoi alege următorul. Se joacă spre dreapta.

[b]Whist[/b]: fiecare licitează câte levate face; ultimul nu poate face suma egală cu cărțile.
Se răspunde la culoare; cine nu are culoarea pune atu; cine n-are nici atu pune orice.
Exact: 5 + levatele licitate (toate levatele: încă 10). Ars: minus diferența.
O orbită fără nicio arsură: +20. Dacă se ard toți, runda se repetă și totul se dublează.
Dacă fiecare s-a ars măcar o dată, orbita se încheie pe loc.

[b]Totale−[/b]: câte unul pentru fiecare orbită perfectă; [b]Totale+[/b]: câte unul pentru cine s-a ars mereu.
Fără atu. K♥ 5 puncte, fiecare damă 2, fiecare carou 1 (Q♦ deci 3). Totale− le scade, Totale+ le adună.
Cine ia toate punctele primește +10 (la Totale− nu i se scade nimic).

[b]Șeptica[/b]: în echipe (locuri alternate), câte 4 cărți în mână, orice carte e voie. Taie 7 (și 8 cu pachet mare).
Ia levata ultimul care a pus o carte ca prima, sau una care taie. Cine a deschis poate merge mai departe
când levata nu e a lui. Puncte: A și 10 (și K cu pachet mare). Echipa cu mai multe: +5, ceilalți −1;
dacă n-au luat nicio levată: +10. La egalitate se repetă, dublu.
Semne: ◆ a ales · ✗ s-a ars în orbită (✗✗ mereu) · 2/3 lev.: făcute/licitate · cartea galbenă ține levata.""",
        """\
[b]The aim[/b]: not to burn, and to have most points when all variants have been played.
The chooser says what is played: a whist (of 2, 3, … cards) or Șeptica; each of them once.
An orbit has a round for every player; then the next one chooses. Play goes to the right.

[b]Whist[/b]: everybody bids tricks; the last may not make the sum equal to the cards each.
Follow suit; without the suit play trump; with neither play anything.
Exact: 5 + the tricks bid (all tricks: 10 more). Burned: minus the difference.
An orbit without a burn: +20. If all burn, the round is replayed and everything is doubled.
When everybody has burned once, the orbit ends on the spot.

[b]Totale−[/b]: one for each perfect orbit; [b]Totale+[/b]: one for each who burned every time.
No trump. K♥ 5 points, each queen 2, each diamond 1 (so Q♦ 3). Totale− subtracts them, Totale+ adds them.
Whoever takes all the points gets +10 (in Totale− nothing is subtracted from him).

[b]Șeptica[/b]: in teams (alternate seats), 4 cards in hand, any card may be played. 7 cuts (8 too with a large pack).
The last who played a card like the first, or a cutting one, takes the trick. The opener may go on
when the trick is not his. Points: A and 10 (K too with a large pack). The team with more: +5, the others −1;
if they took no trick: +10. A tie is replayed, doubled.
Marks: ◆ chose · ✗ has burned in the orbit (✗✗ always) · 2/3 tr.: made/bid · a yellow card holds the trick.""",
    ),
}
