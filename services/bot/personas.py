"""Manners of the bots: a line about each in both languages, and how fond of talking it is.

The names are in `shared.personas`, because the table service gives them out; here is what belongs to each.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from shared.personas import PERSONA_NAMES

Language = Literal["ro", "en"]


@dataclass(frozen=True, slots=True)
class Persona:
    """Who a bot is.

    Attributes:
        name: At the table.
        manner: A line about it, by language.
        talks: How often it says something when it could, 0 to 1.
    """

    name: str
    manner: Mapping[Language, str]
    talks: float


_MANNERS: tuple[tuple[str, str, float], ...] = (
    ("Numără atuurile pe degete și nu-i ajung degetele.", "Counts trumps on its fingers and runs out of fingers.", 0.5),
    ("Vine cu cozonac și pleacă cu levatele.", "Comes with cake and leaves with the tricks.", 0.5),
    ("Gândește rar, dar apăsat.", "Thinks seldom, but firmly.", 0.25),
    ("Joacă în mănuși și nu iartă nicio damă.", "Plays in gloves and forgives no queen.", 0.4),
    ("Explică mâna trecută în timp ce o pierde pe asta.", "Explains the last hand while losing this one.", 0.6),
    ("Împarte sfaturi și cărți, mai ales sfaturi.", "Deals advice and cards, mostly advice.", 0.55),
    ("Licitează ca la piață: jumătate și fără rest.", "Bids as at the market: half, and no change.", 0.4),
    ("A jucat pe vremea când șeptarul tăia și pâinea.", "Played when a seven still cut bread.", 0.35),
    ("Ține popa de inimă la rece până la iarnă.", "Keeps the king of hearts in the cellar till winter.", 0.3),
    ("Curtenitor până la primul atu.", "Courteous up to the first trump.", 0.45),
    ("Zice mereu că n-are nimic. Are.", "Always says it has nothing. It has.", 0.6),
    ("Citește în cafea, mai rar în cărți.", "Reads coffee grounds, less often the cards.", 0.5),
    ("Face levata și apoi întreabă ce era atu.", "Takes the trick, then asks what trump was.", 0.5),
    ("Tăcută ca o carte cu fața în jos.", "Silent as a card face down.", 0.1),
    ("Are un as în mânecă: mâneca e goală.", "Has an ace up its sleeve; the sleeve is empty.", 0.55),
    ("Ține minte toate cărțile și toate supărările.", "Remembers every card and every grievance.", 0.45),
    ("Răbdător ca un whist de opt.", "Patient as a whist of eight.", 0.2),
    ("Bate din palme la fiecare levată, și la cele străine.", "Claps at every trick, the others' too.", 0.6),
    ("Măsoară de două ori și taie o dată.", "Measures twice and cuts once.", 0.3),
    ("Zâmbește la fel și la zero, și la toate.", "Smiles alike at nought and at all of them.", 0.3),
    ("Spune „ultima mână” de trei ori pe seară.", "Says “the last hand” three times a night.", 0.5),
    ("Tricotează printre levate și nu scapă niciun ochi.", "Knits between tricks and drops no stitch.", 0.35),
    ("Învață repede; regulile, mai încet.", "Learns quickly; the rules, less so.", 0.45),
    ("Joacă după inimă, adică după popa de inimă.", "Plays by heart, by the king of hearts that is.", 0.4),
)

PERSONAS: Mapping[str, Persona] = {
    name: Persona(name, {"ro": romanian, "en": english}, talks)
    for name, (romanian, english, talks) in zip(PERSONA_NAMES, _MANNERS, strict=True)
}
"""Every persona by its name."""

DEFAULT_TALKS = 0.4
"""How fond of talking a bot is whose name is not on the list."""


def talkativeness(name: str) -> float:
    """How often the bot called `name` says something when it could, 0 to 1."""
    persona = PERSONAS.get(name)
    return DEFAULT_TALKS if persona is None else persona.talks
