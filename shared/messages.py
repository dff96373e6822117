"""What is said to people: a Romanian and an English text for every reason of an error.

`{placeholders}` are filled from the error's metadata. A reason of a game is usually shown by the client where the
card lies; these texts are for everybody who has none of his own.
"""

import functools
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

Language = Literal["ro", "en"]
DEFAULT_LANGUAGE: Final[Language] = "ro"
"""Spoken to whoever names neither."""


@dataclass(frozen=True, slots=True)
class Text:
    """One text in both languages."""

    ro: str
    en: str


TEXTS: dict[str, Text] = {
    # Every service
    "BAD_REQUEST": Text("Cererea nu este bine formată.", "The request is malformed."),
    "BAD_PAGE_TOKEN": Text(
        "Pagina cerută nu mai există; luați lista de la început.", "That page is unknown; list from the start."
    ),
    "DEADLINE_EXCEEDED": Text("Cererea a sosit prea târziu.", "The request came too late."),
    "DEPENDENCY_DOWN": Text(
        "Un serviciu al clubului nu răspunde; încercați din nou peste puțin timp.",
        "A part of the club does not answer; try again shortly.",
    ),
    "DRAINING": Text("Serverul se oprește; încercați din nou imediat.", "The server is going down; try again at once."),
    "INTERNAL": Text("Ceva nu a mers la noi. Am notat.", "Something went wrong on our side. It has been noted."),
    "NOT_FOUND": Text("Nu există.", "There is no such thing."),
    "REQUEST_ID_REUSED": Text(
        "Același identificator a fost folosit pentru altă cerere.", "This request id was used for another request."
    ),
    "SERVICE_ONLY": Text("Doar serviciile clubului pot face asta.", "Only the club's services may do this."),
    "TOKEN_EXPIRED": Text("Sesiunea a expirat; intrați din nou.", "Your session has expired; sign in again."),
    "TOKEN_INVALID": Text("Nu vă recunoaștem; intrați din nou.", "Your token is not valid; sign in again."),
    "TOKEN_MISSING": Text("Intrați mai întâi în club.", "Sign in first."),
    "TOO_FAST": Text("Prea repede; așteptați puțin.", "Too fast; wait a little."),
    "UNIMPLEMENTED": Text("Serverul nu știe să facă asta.", "The server cannot do this."),
    # Tables
    "ALREADY_SEATED": Text("Stați deja la această masă.", "You already have a seat at this table."),
    "ALREADY_STARTED": Text("Partida a început deja.", "The match has already started."),
    "BOT_DECIDES": Text(
        "Un bot ia acum această decizie în locul dumneavoastră.", "A bot is making this decision for you."
    ),
    "CANNOT_MUTE_SELF": Text(
        "Sunteți gazda; propriile mesaje nu se pot opri.", "You are the host; your own chat cannot be muted."
    ),
    "CANNOT_REMOVE_SELF": Text(
        "Nu vă puteți scoate singur; ridicați-vă de la masă.", "You cannot remove yourself; leave instead."
    ),
    "MATCH_NOT_OVER": Text("Partida nu s-a terminat.", "The match is not over."),
    "MUTED": Text("Gazda v-a oprit mesajele.", "The host has muted you."),
    "NOT_HOST": Text("Doar gazda mesei poate face asta.", "Only the host of the table may do this."),
    "NOT_PLAYING": Text("La această masă nu se joacă acum.", "No match is on at this table."),
    "NOT_REQUESTED": Text("Acest jucător nu a cerut un loc.", "This player has not asked for a seat."),
    "NOT_SEATED": Text("Nu aveți loc la această masă.", "You have no seat at this table."),
    "NOT_WATCHABLE": Text("Masa este privată.", "The table is private."),
    "NOT_YOUR_TURN": Text("Nu este rândul dumneavoastră.", "It is not your turn."),
    "NO_BOT_SEAT": Text("Niciun bot nu stă la această masă.", "No bot has a seat at this table."),
    "REMOVED": Text("Gazda v-a scos de la această masă.", "The host has removed you from this table."),
    "SEAT_NOT_BOT": Text("Pe acest loc nu stă un bot.", "There is no bot on this seat."),
    "SEAT_NOT_HUMAN": Text("Pe acest loc nu stă un jucător.", "There is no person on this seat."),
    "SEAT_TAKEN": Text("Locul este ocupat.", "The seat is taken."),
    "SLOW_CONSUMER": Text(
        "Conexiunea nu ține pasul; reluați de unde ați rămas.", "Your connection cannot keep up; resume where you were."
    ),
    "STALE_REVISION": Text(
        "Masa s-a schimbat între timp (revizia {revision}).", "The table has changed meanwhile (revision {revision})."
    ),
    "FROZEN_BY_OPERATOR": Text(
        "Masa este suspendată de administrația clubului; se va juca mai departe când este reluată.",
        "The table has been suspended by those who run the club; play goes on when they resume it.",
    ),
    "TABLE_FROZEN": Text(
        "Masa este oprită: jurnalul ei este deteriorat și va fi verificat.",
        "The table is frozen: its log is damaged and will be looked at.",
    ),
    "TABLE_FULL": Text("Nu mai este loc la masă.", "The table is full."),
    "TABLE_NOT_FOUND": Text("Masa nu există.", "There is no such table."),
    "TOO_MANY_TABLES": Text(
        "Aveți prea multe mese deschise; părăsiți sau opriți una dintre ele.",
        "You have too many open tables; leave or stop one of them first.",
    ),
    "TURN_TOKEN_INVALID": Text(
        "Această decizie nu mai este de luat sau nu vă aparține.", "This decision is taken already, or is not yours."
    ),
    # Matchmaking
    "QUEUE_NOT_FOUND": Text("Coada nu există.", "There is no such queue."),
    "TABLE_BEING_MADE": Text(
        "Masa dumneavoastră se pregătește chiar acum; mai întrebați o dată peste puțin timp.",
        "Your table is being made this moment; ask again shortly.",
    ),
    "TICKET_MATCHED": Text(
        "Masa este gata; ridicați-vă de la ea dacă nu vreți să jucați.",
        "The table is ready; leave it if you do not want to play.",
    ),
    "TICKET_NOT_FOUND": Text("Biletul nu există.", "There is no such ticket."),
    "TICKET_OPEN": Text("Aveți deja un bilet deschis.", "You already have an open ticket."),
    # Accounts and results
    "BAD_CREDENTIALS": Text("Numele sau parola nu se potrivesc.", "Name and secret do not match."),
    "BAD_NAME": Text(
        "Numele trebuie să aibă 2–24 de litere, cifre, spații, puncte, cratime sau liniuțe de subliniere.",
        "A name has 2 to 24 letters, digits, blanks, dots, dashes or underscores.",
    ),
    "MATCH_NOT_FOUND": Text("Partida nu există.", "There is no such match."),
    "NAME_TAKEN": Text("Numele este deja luat.", "The name is taken."),
    "PLAYER_NOT_FOUND": Text("Jucătorul nu există.", "There is no such player."),
    "REFRESH_INVALID": Text(
        "Sesiunea nu mai este valabilă; intrați din nou.", "The session is no longer valid; sign in again."
    ),
    "REFRESH_REUSED": Text(
        "Sesiunea a fost folosită în două locuri și a fost închisă; intrați din nou.",
        "The session was used in two places and has been closed; sign in again.",
    ),
    # The games
    "ACE_INSIDE": Text(
        "Asul stă doar la începutul sau la sfârșitul unei suite.",
        "An ace stands only at the beginning or at the end of a run.",
    ),
    "ALREADY_ANNOUNCED": Text("Ați anunțat deja.", "You have announced it already."),
    "ATU_NOT_LAID": Text("Atuul trebuie să intre într-o combinație nouă.", "The Atu has to be in a new combination."),
    "ATU_TOO_LATE": Text(
        "Atuul se anunță doar în prima dumneavoastră tură, înainte de a trage.",
        "The Atu is announced in your first turn only, before you draw.",
    ),
    "BAD_PACK": Text("Pachetul nu este întreg.", "The pack is not whole."),
    "BARRED_TILE_LEFT": Text(
        "V-ar rămâne doar piesa luată în această tură, care nu se poate arunca.",
        "Only the tile taken in this turn would be left, and it may not be discarded.",
    ),
    "BID_FORBIDDEN": Text(
        "Ultima licitație nu poate face suma egală cu numărul de levate.",
        "The last bid may not make the sum equal to the number of tricks.",
    ),
    "BID_OUT_OF_RANGE": Text("Nu se pot licita atâtea levate.", "A bid cannot be that many tricks."),
    "CANNOT_CONTINUE": Text(
        "Puteți continua doar tăind sau cu o carte de rangul celei dintâi.",
        "To go on, cut or play a card of the first card's rank.",
    ),
    "CANNOT_LEAVE": Text(
        "Doar cine a deschis levata, ținută acum de altul, o poate lăsa.",
        "Only who opened the trick, which another holds now, may leave it.",
    ),
    "CARD_NOT_IN_HAND": Text("Nu aveți această carte.", "You do not hold this card."),
    "CARD_NOT_VALID": Text(
        "Puteți așeza doar un valet sau o carte vecină cu una de aceeași culoare de pe masă.",
        "You may only place a jack, or a card next to one of its suit on the table.",
    ),
    "DEAD_TILE": Text("Prima piesă aruncată nu se ia niciodată.", "The tile discarded first is never taken."),
    "DEAL_DUE": Text("Întâi trebuie să se împartă.", "First there has to be a deal."),
    "DEAL_NOT_DUE": Text("Nu se împarte acum.", "No deal is due."),
    "FIRST_MELD_TOO_LOW": Text(
        "Prima etalare trebuie să aibă cel puțin 45 de puncte.",
        "The first meld has to be worth at least 45 points.",
    ),
    "FIRST_MELD_WITHOUT_RUN": Text(
        "Prima etalare trebuie să cuprindă cel puțin o suită.",
        "The first meld has to hold at least one run.",
    ),
    "JOKER_NOT_LAID": Text(
        "Jokerul luat trebuie folosit imediat într-o combinație nouă.",
        "The Joker has to be laid at once in a new combination.",
    ),
    "MATCH_OVER": Text("Partida s-a terminat.", "The match is over."),
    "MELD_OF_ANOTHER": Text(
        "În tura primei etalări puteți folosi doar combinațiile dumneavoastră.",
        "In the turn of your first meld only your own combinations are open to you.",
    ),
    "MUST_FOLLOW_SUIT": Text("Trebuie să răspundeți la culoare.", "You must follow suit."),
    "MUST_TRUMP": Text(
        "Nu aveți culoarea cerută: trebuie să jucați atu.", "You hold none of the suit led: you must trump."
    ),
    "NAME_THE_END": Text("Piesa se potrivește la ambele capete; alegeți unul.", "The tile fits both ends; choose one."),
    "NOTHING_TO_DO": Text("Tura nu cuprinde nicio mutare.", "There is nothing in that turn."),
    "NOTHING_TO_UNDO": Text("Nu aveți ce piesă să dați înapoi.", "There is no tile to give back."),
    "NOT_A_MELD": Text("Piesele nu formează nici suită, nici formație.", "These tiles are neither a run nor a set."),
    "NOT_A_STEP": Text(
        "Această mutare nu se poate face împreună cu altele.",
        "This cannot be done together with other actions.",
    ),
    "NOT_CLOSED": Text(
        "Cu Atuul trebuie să închideți: v-ar mai rămâne piese.",
        "With the Atu you have to close: tiles would be left.",
    ),
    "NOT_CONSECUTIVE": Text(
        "Piesele unei suite trebuie să fie consecutive, în ordine crescătoare.",
        "The tiles of a run have to be consecutive, in ascending order.",
    ),
    "NOT_ITS_TILE": Text("Jokerul nu ține locul acestei piese.", "The Joker does not stand for this tile."),
    "NOT_MELDED": Text("Mai întâi trebuie să etalați.", "You have to meld first."),
    "NOT_TWO_TILES": Text("Nu aveți exact două piese.", "You do not have exactly two tiles."),
    "NO_ATU": Text(
        "Atuul a fost un Joker: nu se anunță și nu se ia.",
        "The Atu was a Joker: it is neither announced nor taken.",
    ),
    "NO_FIT": Text("Piesa nu se potrivește acolo.", "The tile does not fit there."),
    "NO_JOKER_THERE": Text("În acel loc nu este un Joker.", "There is no Joker in that place."),
    "NO_MELD": Text("Nu ați ales nicio combinație.", "You have chosen no combination."),
    "NO_SUCH_MELD": Text("Pe masă nu este o astfel de combinație.", "There is no such combination on the table."),
    "NO_SUCH_PLACE": Text("Șirul nu are acel loc.", "The row has no such place."),
    "ROW_CLOSED": Text("Cu una sau două piese trageți din teanc.", "With one or two tiles you draw from the pile."),
    "SET_COMPLETE": Text("Formația este completă.", "The set is complete."),
    "SUBGAME_PLAYED": Text("Ați ales deja acest subjoc.", "You have chosen this subgame before."),
    "TAKEN_TILE_UNUSED": Text(
        "Piesa luată din șir trebuie folosită mai întâi.",
        "The tile taken from the row has to be used first.",
    ),
    "TAKE_WITHOUT_MELD": Text(
        "Cu această piesă nu puteți face prima etalare.",
        "There is no first meld for you with this tile.",
    ),
    "TAKE_WITHOUT_USE": Text(
        "Nu aveți cum folosi această piesă în această tură.",
        "You cannot use this tile in this turn.",
    ),
    "TILE_BARRED": Text(
        "Piesa luată în această tură nu se poate arunca.",
        "A tile taken in this turn may not be discarded.",
    ),
    "TILE_NOT_IN_HAND": Text("Nu aveți această piesă.", "You do not hold this tile."),
    "TOO_FEW_TILES": Text("O combinație are cel puțin trei piese.", "A combination has at least three tiles."),
    "TOO_MANY_JOKERS": Text(
        "Pentru fiecare Joker trebuie cel puțin două piese reale.",
        "Each Joker needs at least two real tiles.",
    ),
    "TOO_MANY_TILES": Text("Combinația are prea multe piese.", "The combination has too many tiles."),
    "TOP_TILE_ONLY": Text(
        "Înainte de a etala puteți lua doar ultima piesă aruncată.",
        "Before you have melded you may take the top tile only.",
    ),
    "TURN_ENDED": Text(
        "Tura se încheie înainte de ultima mutare din ea.",
        "The turn ends before the last of these actions.",
    ),
    "TWICE_THE_SAME": Text(
        "Combinația cuprinde de două ori aceeași piesă.",
        "The combination holds the same tile twice.",
    ),
    "UNKNOWN_ACTION": Text("Acest joc nu cunoaște acțiunea.", "This game knows no such action."),
    "VARIANT_PLAYED": Text("Varianta a fost jucată deja.", "This variant has been played."),
    "VARIANT_UNKNOWN": Text("La această masă nu se joacă varianta.", "This variant is not played at this table."),
    "WRONG_PHASE": Text("Nu este momentul pentru asta.", "It is not the time for that."),
}
"""By reason. Every service adds its own here."""

_PLACEHOLDER = re.compile(r"\{(\w+)\}")
_UNKNOWN = Text("Nu se poate acum ({reason}).", "Not possible now ({reason}).")


def text(reason: str, language: Language, metadata: Mapping[str, str] | None = None) -> str:
    """The text for `reason`; placeholders without a value stay empty."""
    chosen = TEXTS.get(reason, _UNKNOWN)
    values = {"reason": reason, **(metadata or {})}
    return _PLACEHOLDER.sub(lambda found: values.get(found[1], ""), chosen.ro if language == "ro" else chosen.en)


@functools.lru_cache(maxsize=256)
def language_of(accept_language: str) -> Language:
    """The better of our languages for an `accept-language` header (RFC 9110); Romanian when it names neither."""
    best: Language = DEFAULT_LANGUAGE
    best_weight = 0.0
    for part in accept_language.split(","):
        tag, _, parameters = part.strip().partition(";")
        primary = tag.strip().lower().partition("-")[0]
        if primary not in ("ro", "en"):
            continue
        weight = 1.0
        if parameters.strip().startswith("q="):
            try:
                weight = float(parameters.strip()[2:])
            except ValueError:
                continue
        if weight > best_weight:
            best, best_weight = ("ro" if primary == "ro" else "en"), weight
    return best
