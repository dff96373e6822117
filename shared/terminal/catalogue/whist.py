"""Romanian whist, in Romanian and in English."""

from collections.abc import Mapping
from typing import Final

TEXTS: Final[Mapping[str, tuple[str, str]]] = {
    "whist.title": ("Whist", "Romanian whist"),
    "whist.pattern": ("Mersul cărților", "Cards go"),
    "whist.premium": ("Premii", "Premiums"),
    "whist.premium.ten": ("10 puncte", "10 points"),
    "whist.premium.five": ("5 puncte", "5 points"),
    "whist.premium.none": ("fără", "none"),
    "whist.hand": ("Mâna {number}/{hands}", "Hand {number}/{hands}"),
    "whist.cards.one": ("o carte", "one card"),
    "whist.cards": ("{cards} cărți", "{cards} cards"),
    "whist.next": ("Urmează: {cards}", "To come: {cards}"),
    "whist.last": ("Ultima mână", "The last hand"),
    "whist.deals_first": ("dă {name}.", "{name} deals."),
    "whist.dealt": ("Mâna {number}: {name} dă {cards}.", "Hand {number}: {name} deals {cards}."),
    "whist.premium.won": ("Premiu, cinci mâini exacte: {changes}", "Premium, five exact hands: {changes}"),
    "whist.premium.lost": ("Cinci mâini ratate: {changes}", "Five misses: {changes}"),
    "whist.sheet.heading": (
        "{pattern} · premiu {premium} · ✓ exacte la rând, ✗ ratate la rând",
        "{pattern} · premium {premium} · ✓ exact in a row, ✗ missed in a row",
    ),
    "whist.sheet.plain": ("{pattern} · fără premii", "{pattern} · no premiums"),
    "whist.sheet.row": ("{number}. ×{cards}", "{number}. ×{cards}"),
    "whist.help": (
        """\
[b]Whist[/b]: fiecare pentru sine, 3–6 jucători; câștigă cine are cele mai multe puncte la sfârșit.
Cărți: câte 8 de jucător, cele mai mari (3 jucători: 9–A, 4: 7–A, 5: 5–A, 6: 3–A).
Mersul: 1-8-1 sau 8-1-8; mâinile de 1 și de 8 se joacă de câte ori sunt jucători, celelalte o dată.
Primul dă cine trage cartea cea mai mare; apoi se dă pe rând.

[b]Mâna[/b]: cartea întoarsă arată atuul; la 8 cărți nu este atu. Fiecare licitează câte levate face;
cine dă licitează ultimul și nu poate face suma egală cu numărul cărților.
Se răspunde la culoare; cine nu are culoarea pune atu; cine n-are nici atu pune orice.
Ia levata atuul cel mai mare, iar fără atu cartea cea mai mare din culoarea cerută; cine ia, deschide.

[b]Puncte[/b]: exact: 5 + levatele licitate; altfel minus diferența.
[b]Premii[/b]: cinci mâini exacte la rând aduc premiul (10 sau 5), cinci ratate la rând îl costă; apoi se numără
de la zero. Mâinile de o carte nu se pun la socoteală. ✓3: trei exacte la rând · ✗2: două ratate la rând.
2/3 lev.: făcute/licitate · cartea galbenă ține levata.""",
        """\
[b]Romanian whist[/b]: everybody for himself, 3–6 players; most points at the end win.
Cards: 8 for each player, the highest (3 players: 9–A, 4: 7–A, 5: 5–A, 6: 3–A).
Hands go 1-8-1 or 8-1-8; those of 1 and of 8 are played once for each player, the others once.
Who draws the highest card deals first; then the deal goes round.

[b]A hand[/b]: the turned card shows the trump suit; with 8 cards there is no trump. Everybody bids tricks;
the dealer bids last and may not make the sum equal to the cards each.
Follow suit; without the suit play trump; with neither play anything.
The highest trump takes the trick, else the highest card of the suit led; the taker leads.

[b]Points[/b]: exact: 5 + the tricks bid; otherwise minus the difference.
[b]Premiums[/b]: five exact hands in a row bring the premium (10 or 5), five misses in a row cost it; then the count
starts again. Hands of one card do not count. ✓3: three exact in a row · ✗2: two missed in a row.
2/3 tr.: made/bid · a yellow card holds the trick.""",
    ),
}
