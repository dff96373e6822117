"""Bids, cards and tricks as several games speak of them, in Romanian and in English."""

from collections.abc import Mapping
from typing import Final

TEXTS: Final[Mapping[str, tuple[str, str]]] = {
    "tricks.trump": ("Atu ", "Trump "),
    "tricks.no_trump": ("Fără atu", "No trump"),
    "tricks.bids": ("licitat {sum}/{cards}", "bids {sum}/{cards}"),
    "tricks.overbid": ("▲ supralicitată {sum}/{cards}", "▲ overbid {sum}/{cards}"),
    "tricks.underbid": ("▼ sublicitată {sum}/{cards}", "▼ underbid {sum}/{cards}"),
    "tricks.detail.bid": ("{tricks}/{bid} lev.", "{tricks}/{bid} tr."),
    "tricks.detail.brief": ("{tricks}/{bid}", "{tricks}/{bid}"),
    "tricks.prompt.bid": ("Câte levate faceți?", "How many tricks will you make?"),
    "tricks.prompt.play": ("Jucați o carte.", "Play a card."),
    "tricks.wait.bid": ("{name} licitează", "{name} is bidding"),
    "tricks.wait.play": ("{name} joacă", "{name} is playing"),
    "tricks.say.bid": ("licitez {bid}", "bid {bid}"),
    "tricks.did.choose": ("{name} alege {what}.", "{name} chooses {what}."),
    "tricks.did.bid": ("{name} licitează {bid}.", "{name} bids {bid}."),
    "tricks.did.play": ("{name}: ", "{name}: "),
    "tricks.drew": ("Pentru prima mână au tras: ", "Drawn for the first hand: "),
    "tricks.dealt.trump": (" Atu: ", " Trump: "),
    "tricks.dealt.no_trump": (" Fără atu.", " No trump."),
    "tricks.ended.overbid": ("Supralicitată: {sum} din {cards}.", "Overbid: {sum} of {cards}."),
    "tricks.ended.underbid": ("Sublicitată: {sum} din {cards}.", "Underbid: {sum} of {cards}."),
    "tricks.took": ("{name} ia levata.", "{name} takes the trick."),
    "tricks.scored": ("Scor: {changes}", "Score: {changes}"),
}
