"""Every word that the terminal shows, in Romanian and in English."""

from collections.abc import Mapping
from typing import Final

from shared.terminal.catalogue import GAME_TEXTS

LANGUAGES: Final = ("ro", "en")

_CLUB: Final[Mapping[str, tuple[str, str]]] = {
    # The club and its connection.
    "club.title": ("Levata", "Levata"),
    "club.connecting": ("Mă leg la club…", "Connecting to the club…"),
    "club.down": (
        "Clubul nu răspunde. Porniți-l cu `make up` în alt terminal, apoi încercați din nou.",
        "The club does not answer. Start it with `make up` in another terminal, then try again.",
    ),
    "club.small": (
        "Terminalul are {width}×{height}, prea puțin ca să se vadă masa.\n"
        "Măriți-l la cel puțin {least_width}×{least_height}: jocul merge mai departe.",
        "The terminal has {width}×{height}, too little to show the table.\n"
        "Enlarge it to at least {least_width}×{least_height}: the game goes on.",
    ),
    "club.retry": ("Încearcă din nou", "Try again"),
    "club.refused": ("Clubul a refuzat: {reason}", "The club refused: {reason}"),
    "connection.live": ("legat", "connected"),
    "connection.lost": ("refac legătura…", "reconnecting…"),
    "connection.closed": ("masa s-a închis", "table closed"),
    "key.quit": ("Ieșire", "Quit"),
    "key.back": ("Înapoi", "Back"),
    "key.help": ("Ajutor", "Help"),
    "answer.yes": ("Da", "Yes"),
    "answer.no": ("Nu", "No"),
    # Signing in.
    "signin.welcome": ("Bine ați venit la club!", "Welcome to the club!"),
    "signin.ask": (
        "Cum vă spune lumea la masă? (2–24 de litere, cifre, spații, puncte, liniuțe)",
        "What shall the table call you? (2–24 letters, digits, blanks, dots, dashes)",
    ),
    "signin.name": ("Numele dumneavoastră", "Your name"),
    "signin.enter": ("Intră", "Enter"),
    "signin.kept": (
        "Numele și cheia acestui calculator se păstrează în {path}.",
        "The name and this computer's key are kept in {path}.",
    ),
    "signin.taken": (
        "Numele „{name}” este luat. Alegeți altul mai jos.\n"
        "Este al dumneavoastră? Cheia lui se păstrează în dosarul în care l-ați luat: jucați din acel dosar, "
        "sau cu LEVATA_STATE=<dosar> make play, și intrați fără întrebare.",
        "The name “{name}” is taken. Choose another below.\n"
        "Is it yours? Its key is kept in the folder in which you took it: play from that folder, "
        "or with LEVATA_STATE=<folder> make play, and you come in without a question.",
    ),
    "signin.another": (
        "Între timp, din acest dosar a intrat {name}; cheia se păstrează în {path} și nu se șterge.\n"
        "Sunteți altcineva? Ieșiți și jucați cu LEVATA_STATE=<alt dosar> make play.",
        "Meanwhile {name} has come in from this folder; the key is kept in {path} and stays there.\n"
        "Are you somebody else? Quit, and play with LEVATA_STATE=<another folder> make play.",
    ),
    "signin.suggest": ("Intră ca {name}", "Enter as {name}"),
    "signin.short": ("Numele are prea puține litere.", "The name has too few letters."),
    # The lobby.
    "lobby.hello": ("Bun venit, {name}", "Welcome, {name}"),
    "lobby.return": ("Înapoi la masa mea", "Back to my table"),
    "lobby.return.none": (
        "Nu aveți loc la nicio masă acum. Joc rapid: tasta 2. Masă nouă: tasta 3.",
        "You have no seat at any table now. Quick match: key 2. New table: key 3.",
    ),
    "lobby.quick": ("Joc rapid", "Quick match"),
    "lobby.new": ("Masă nouă", "New table"),
    "lobby.code": ("Intră cu un cod", "Join by code"),
    "lobby.refresh": ("Împrospătează mesele", "Refresh the tables"),
    "lobby.fame": ("Galeria celebrităților", "Hall of Fame"),
    "lobby.matches": ("Partidele mele", "My matches"),
    "lobby.tables": ("Mese publice", "Public tables"),
    "lobby.tables.own": ("▸ mesele mele", "▸ my tables"),
    "lobby.tables.none": (
        "Nicio masă publică acum. Faceți una: tasta 3.",
        "No public table now. Make one: key 3.",
    ),
    "lobby.resume": (
        "Aveți un loc la o masă: {table}. Vă întoarceți?",
        "You have a seat at a table: {table}. Go back?",
    ),
    "lobby.resume.which": (
        "Aveți un loc la {count} mese. La care vă întoarceți?",
        "You have a seat at {count} tables. Which do you go back to?",
    ),
    "lobby.table": ("{game}, {seats} locuri, gazda {host}", "{game}, {seats} seats, host {host}"),
    "lobby.column.host": ("Gazda", "Host"),
    "lobby.column.game": ("Joc", "Game"),
    "lobby.column.seats": ("Locuri", "Seats"),
    "lobby.column.people": ("Oameni", "People"),
    "lobby.column.status": ("Stare", "Status"),
    "lobby.column.clock": ("Ceas", "Clock"),
    "status.waiting": ("așteaptă", "waiting"),
    "status.playing": ("se joacă", "playing"),
    "status.finished": ("încheiată", "finished"),
    "status.stopped": ("oprită", "stopped"),
    "status.frozen": ("suspendată", "suspended"),
    "code.ask": ("Codul de invitație", "Invitation code"),
    "code.enter": ("Intră la masă", "Join the table"),
    "code.short": ("Codul are 6–12 litere și cifre.", "A code has 6–12 letters and digits."),
    "join.title": ("Masa lui {host}", "{host}'s table"),
    "join.sit": ("Stau la masă", "Sit down"),
    "join.watch": ("Doar privesc", "Just watch"),
    # A new table.
    "new.title": ("Masă nouă", "New table"),
    "new.game": ("Joc", "Game"),
    "new.seats": ("Locuri", "Seats"),
    "new.level": ("Cât de bine joacă boții", "How well bots play"),
    "new.talk": ("Cum vorbesc boții", "How bots talk"),
    "new.clock": ("Ceas", "Clock"),
    "new.visibility": ("Cine vede masa", "Who sees the table"),
    "new.create": ("Fă masa", "Make the table"),
    "new.hint": (
        "↑↓ alege rândul · ←→ schimbă · Enter face masa",
        "↑↓ picks a row · ←→ changes it · Enter makes the table",
    ),
    "level.novice": ("începători", "novices"),
    "level.club": ("de club", "club players"),
    "talk.silent": ("tac", "silent"),
    "talk.polite": ("vorbesc cuminte", "polite"),
    "talk.uncensored": ("fără perdea", "uncensored"),
    "clock.none": ("fără ceas", "none"),
    "clock.bid_seconds": ("licitat {seconds}s", "bid {seconds}s"),
    "clock.bid_extra_seconds": ("+{seconds}s/carte peste 4", "+{seconds}s/card above 4"),
    "clock.play_seconds": ("carte {seconds}s", "card {seconds}s"),
    "clock.choose_seconds": ("ales {seconds}s", "choose {seconds}s"),
    "clock.turn_seconds": ("tură {seconds}s", "turn {seconds}s"),
    "clock.bank_seconds": ("rezervă {seconds}s", "bank {seconds}s"),
    "visibility.public": ("publică: oricine poate privi", "public: anybody may watch"),
    "visibility.private": ("privată: numai cu cod", "private: by code only"),
    # Quick match.
    "queue.title": ("Joc rapid: la ce masă?", "Quick match: which table?"),
    "queue.line": (
        "{game}, {seats} locuri · așteaptă {waiting} · boți după {limit} s",
        "{game}, {seats} seats · waiting {waiting} · bots after {limit} s",
    ),
    "queue.none": ("Nu este nicio coadă deschisă.", "There is no queue open."),
    "queue.waiting": (
        "Sunteți pe locul {place} la coadă.\nMasă în cel mult {seconds} s.",
        "You are number {place} in the queue.\nA table in {seconds} s at the latest.",
    ),
    "queue.cancel": ("Renunță", "Cancel"),
    "queue.expired": ("Așteptarea s-a încheiat fără masă.", "The wait ended without a table."),
    "queue.cancelled": ("Ați renunțat la loc.", "You gave your place back."),
    # Hall of Fame, matches, records.
    "fame.title": ("Galeria celebrităților · {game}", "Hall of Fame · {game}"),
    "fame.column.rank": ("Loc", "Rank"),
    "fame.column.name": ("Nume", "Name"),
    "fame.column.points": ("Puncte", "Points"),
    "fame.column.matches": ("Partide", "Matches"),
    "fame.column.wins": ("Câștigate", "Won"),
    "fame.column.rating": ("Rating", "Rating"),
    "fame.column.skill": ("Nivel estimat", "Estimated skill"),
    "fame.ranking": ("Clasament / galerie", "Ranking / Hall of Fame"),
    "ranking.title": ("Clasament · {game}", "Ranking · {game}"),
    "ranking.none": (
        "Încă nimeni. Aici intră cine a jucat cu alți oameni.",
        "Nobody yet. Whoever has played with other people enters here.",
    ),
    "fame.none": (
        "Încă nimeni. Prima partidă încheiată intră aici.",
        "Nobody yet. The first finished match enters here.",
    ),
    "list.more": ("Mai departe", "More"),
    "matches.title": ("Partidele mele", "My matches"),
    "matches.none": ("Încă nicio partidă încheiată.", "No finished match yet."),
    "matches.column.ended": ("Încheiată", "Ended"),
    "matches.column.game": ("Joc", "Game"),
    "matches.column.place": ("Loc", "Place"),
    "matches.column.points": ("Puncte", "Points"),
    "matches.column.rating": ("Rating", "Rating"),
    "matches.column.players": ("Jucători", "Players"),
    "matches.stopped": ("oprită", "stopped"),
    "record.title": ("Partida {match}", "Match {match}"),
    "record.standing": ("{place}. {name}: {points}", "{place}. {name}: {points}"),
    "record.bot_decisions": (" (boții au hotărât de {count} ori)", " (bots decided {count} times)"),
    "record.text": ("Foaia partidei", "The record"),
    "record.stopped": ("Oprită după {finished} din {whole} mâini.", "Stopped after {finished} of {whole} hands."),
    "record.ratings": ("Rating", "Ratings"),
    "record.rating": ("{name}: {change} → {rating}", "{name}: {change} → {rating}"),
    "record.left": (" (a plecat)", " (left)"),
    # The table.
    "table.you": ("(dvs.)", "(you)"),
    "table.free": ("loc liber", "free seat"),
    "table.bot": ("bot", "bot"),
    "table.away": ("plecat", "away"),
    "table.offline": ("nelegat", "offline"),
    "table.muted": ("mut", "muted"),
    "table.waiting": ("Masa așteaptă jucători.", "The table waits for players."),
    "table.code": ("Cod: {code}", "Code: {code}"),
    "table.start.host": (
        "Porniți când doriți: boții iau locurile libere.",
        "Start when you like: bots take the free seats.",
    ),
    "table.start.guest": ("Gazda pornește partida.", "The host starts the match."),
    "table.spectator": ("Priviți masa.", "You are watching."),
    "table.finished": ("Partida s-a încheiat.", "The match is over."),
    "table.stopped": ("Masa a fost oprită.", "The table was stopped."),
    "table.frozen": (
        "Masă suspendată de administrația clubului: vă rugăm să așteptați. Ceasurile stau. Q: la club.",
        "Table suspended by those who run the club: please wait. The clocks stand still. Q: to the club.",
    ),
    "table.frozen.seat": (
        "Masă suspendată de administrația clubului: vă rugăm să așteptați. Ceasurile stau. "
        "Q: la club; locul rămâne al dvs.",
        "Table suspended by those who run the club: please wait. The clocks stand still. "
        "Q: to the club; the seat stays yours.",
    ),
    "table.frozen.refused": (
        "Masa este suspendată: acum nu se poate.",
        "The table is suspended: this cannot be done now.",
    ),
    "table.noted": ("{words} „{note}”", "{words} “{note}”"),
    "table.unknown_game": ("Acest terminal nu știe jocul {game}.", "This terminal does not know the game {game}."),
    "table.last_trick": ("Ultima levată: {name}", "Last trick: {name}"),
    "table.standing": ("{place}. {name}  {points}", "{place}. {name}  {points}"),
    "table.hint": ("Botul ar juca: {action}", "A bot would play: {action}"),
    "table.no_hint": ("Sfatul vine când este rândul dvs.", "The hint comes when it is your turn."),
    "table.sent": ("Trimis…", "Sent…"),
    "table.requested": ("Gazda a aflat că doriți un loc.", "The host knows that you would like a seat."),
    "table.removed": (
        "Gazda v-a scos de la masă. Puteți privi mai departe.",
        "The host has removed you from the table. You may go on watching.",
    ),
    "table.leave.ask": (
        "Plecați de tot? Un bot vă ia locul pentru totdeauna.",
        "Leave for good? A bot takes your seat for ever.",
    ),
    "table.chat": ("C: spuneți ceva", "C: say something"),
    "table.chat.frozen": ("Acum nu se vorbește", "The chat is off now"),
    "table.chat.spectator": ("Privitorii tac", "Spectators are silent"),
    "bar.start": ("Pornește", "Start"),
    "bar.join": ("Stau la masă", "Sit down"),
    "bar.request": ("Cer un loc", "Ask for a seat"),
    "bar.admit": ("Primesc: {name}", "Admit: {name}"),
    "bar.decline": ("Refuz", "Decline"),
    "bar.lobby": ("Înapoi la club", "Back to the club"),
    "keys.hint": ("Sfat", "Hint"),
    "keys.sheet": ("Foaie", "Sheet"),
    "keys.chat": ("Vorbă", "Chat"),
    "keys.host": ("Gazdă", "Host"),
    "keys.leave": ("Plec", "Leave"),
    "keys.skip": ("Mai iute", "Faster"),
    "keys.lobby": ("Club", "Club"),
    "clock.left": ("⏲ {seconds}s", "⏲ {seconds}s"),
    "clock.bank": ("⏲ rezervă {seconds}s", "⏲ bank {seconds}s"),
    "clock.reserve": ("rezervă {seconds}s", "bank {seconds}s"),
    # The host's menu.
    "host.title": ("Gazda hotărăște", "The host decides"),
    "host.start": ("Pornește partida", "Start the match"),
    "host.admit": ("Primește la masă: {name}", "Admit to the table: {name}"),
    "host.decline": ("Refuză: {name}", "Decline: {name}"),
    "host.remove": ("Scoate de la masă: {name}", "Remove from the table: {name}"),
    "host.mute": ("Fără vorbă: {name}", "Mute: {name}"),
    "host.unmute": ("Poate vorbi iar: {name}", "Let be heard again: {name}"),
    "host.talk": ("Boții: {talk}", "Bots: {talk}"),
    "host.public": ("Fă masa publică", "Make the table public"),
    "host.private": ("Fă masa privată", "Make the table private"),
    "host.stop": ("Oprește masa", "Stop the table"),
    "host.remove.ask": ("Îl scoateți pe {name} de la masă?", "Remove {name} from the table?"),
    "host.stop.ask": (
        "Opriți masa? Nimic nu se scrie în galerie.",
        "Stop the table? Nothing is entered in the Hall of Fame.",
    ),
    "host.only": ("Numai gazda poate.", "Only the host can."),
    # What happens at a table.
    "event.sat": ("{name} stă la masă.", "{name} sits down."),
    "event.bot_sat": ("Botul {name} ia un loc.", "{name}, a bot, takes a seat."),
    "event.left": ("{name} pleacă.", "{name} leaves."),
    "event.removed": ("Gazda îl scoate pe {name}.", "The host removes {name}."),
    "event.arrived": ("{name} este aici.", "{name} is here."),
    "event.present": ("{name} s-a întors.", "{name} is back."),
    "event.absent": ("{name} a pierdut legătura.", "{name} lost the connection."),
    "event.away": ("{name} lipsește: un bot joacă pentru {name}.", "{name} is away: a bot plays for {name}."),
    "event.host": ("Gazda este acum {name}.", "{name} is host now."),
    "event.options": (
        "Gazda a schimbat masa: boții {talk}, masă {visibility}.",
        "The host changed the table: bots {talk}, {visibility}.",
    ),
    "event.public": ("publică", "public"),
    "event.private": ("privată", "private"),
    "event.started": ("Partida începe.", "The match starts."),
    "event.timeout": ("Timpul lui {name} a trecut; hotărăște un bot.", "{name}'s time is out; a bot decides."),
    "event.timeout_away": ("{name} nu mai răspunde: joacă un bot.", "{name} does not answer any more: a bot plays."),
    "event.requested": ("{name} cere un loc.", "{name} asks for a seat."),
    "event.declined": ("Gazda a refuzat un loc.", "The host declined a seat."),
    "event.muted": ("{name} nu mai poate vorbi.", "{name} is muted."),
    "event.unmuted": ("{name} poate vorbi iar.", "{name} may talk again."),
    "event.finished": ("Partida s-a încheiat. Câștigă {names}!", "The match is over. {names} won!"),
    "event.stopped.host": ("Gazda a oprit masa.", "The host stopped the table."),
    "event.stopped.empty": ("Masa s-a oprit: nu mai este niciun om.", "The table stopped: no person is left."),
    "event.stopped.operator": ("Administrația clubului a oprit masa.", "Those who run the club stopped the table."),
    "event.frozen": (
        "Administrația clubului a suspendat masa; ceasurile stau.",
        "Those who run the club have suspended the table; the clocks stand still.",
    ),
    "event.resumed": (
        "Se joacă mai departe; nimeni nu a pierdut timp.",
        "Play goes on; nobody has lost any time.",
    ),
    "event.restored": (
        "Clubul a fost refăcut așa cum era la {moment}; ce s-a jucat după aceea nu mai este.",
        "The club was restored to how it was at {moment}; what was played after that is gone.",
    ),
    "event.for_absent": (" (bot, lipsește)", " (bot, absent)"),
    "event.for_timeout": (" (bot, timp)", " (bot, time)"),
    "event.admitted": ("Aveți un loc la masă!", "You have a seat at the table!"),
    # The score sheet.
    "sheet.title": ("Foaia de scor", "Score sheet"),
    "sheet.empty": ("Foaia este goală.", "The sheet is empty."),
    "sheet.total": ("Total", "Total"),
    "help.title": ("Ajutor", "Help"),
    "help.keys": (
        """\
[b]Taste[/b]: ←→ și cifrele aleg, Enter joacă ce ați ales; un clic face la fel.
H sfat · F foaia de scor · C vorbă (Esc înapoi la joc) · Spațiu mai iute · G meniul gazdei
R cere un loc (privitor) · A/D primește/refuză (gazda) · X pleacă de tot · Q înapoi la club
Semne: ▶ la rând · ● împarte · ★ gazda.
Cine iese cu Q își păstrează locul: după 20 de secunde joacă un bot, până la întoarcere.""",
        """\
[b]Keys[/b]: ←→ and digits pick, Enter plays what is picked; a click does the same.
H hint · F score sheet · C chat (Esc back to the game) · Space faster · G the host's menu
R ask for a seat (spectator) · A/D admit/decline (host) · X leave for good · Q back to the club
Marks: ▶ to act · ● deals · ★ host.
Who leaves with Q keeps the seat: after 20 seconds a bot plays, until you are back.""",
    ),
    # The demonstration.
    "demo.table": (
        "Demonstrație la masa publică {table}: joacă numai boți, nu se trece nimic în galerie.",
        "An exhibition at the public table {table}: only bots play, and it counts for nobody.",
    ),
    "demo.no_key": (
        "Nu găsesc cheia clubului, {path}. Demonstrația se dă de unde pornește clubul: rulați `make up` în acest "
        "dosar, sau spuneți unde își ține clubul starea: LEVATA_STATE=<dosar> make demo.",
        "The club's key {path} is not there. The demonstration runs where the club does: run `make up` in this folder, "
        "or say where the club keeps its state: LEVATA_STATE=<folder> make demo.",
    ),
    "demo.other_key": (
        "Clubul care răspunde nu primește cheia {path}: este alt club. Spuneți unde își ține el starea: "
        "LEVATA_STATE=<dosar> make demo.",
        "The club that answers does not take the key {path}: it is another club. Say where that one keeps its state: "
        "LEVATA_STATE=<folder> make demo.",
    ),
    "demo.players": ("Joacă: {names}", "Playing: {names}"),
    "demo.fame": ("Galeria celebrităților:", "Hall of Fame:"),
    "demo.record": (
        "Foaia partidei {match}: {path}. Se reia cu `.venv/bin/levata replay {path}`, iar "
        "amestecarea se verifică cu `.venv/bin/levata verify {path}`.",
        "The record of match {match}: {path}. Replay it with `.venv/bin/levata replay {path}`, and check the "
        "shuffling with `.venv/bin/levata verify {path}`.",
    ),
    "demo.unfinished": ("Masa s-a închis înainte de sfârșit.", "The table closed before the end."),
}

CATALOGUE: Final[Mapping[str, tuple[str, str]]] = {**_CLUB, **GAME_TEXTS}
"""Every text by its key: Romanian, English."""


class Texts:
    """The catalogue in one language."""

    def __init__(self, language: str) -> None:
        """`language` is `ro` or `en`; anything else counts as Romanian."""
        self.language = language if language in LANGUAGES else LANGUAGES[0]
        self._column = LANGUAGES.index(self.language)

    def __call__(self, key: str, **values: object) -> str:
        """The text of `key` with its placeholders filled. Raises `KeyError` for an unknown key."""
        text = CATALOGUE[key][self._column]
        return text.format(**values) if values else text
