"""What the feed tells of people who come and go."""

from datetime import datetime
from pathlib import Path

import pytest

from shared.gen.levata.table.v1 import table_pb2
from shared.terminal.games import VIEWS
from shared.terminal.narrator import Narrator
from shared.terminal.texts import Texts
from shared.terminal.widgets.chat import Feed
from tests.support.arzoi_positions import TABLE_ID, position, waiting_table
from tests.support.terminal_club import TerminalClub
from tests.support.terminal_driver import terminal

DAN = 2


def with_dan(update: table_pb2.Update, *, away: bool = False) -> table_pb2.Update:
    """Dan on seat 2, a person."""
    dan = table_pb2.Seat(kind=table_pb2.SEAT_KIND_HUMAN, player_id="dan", name="Dan", present=True, away=away)
    update.table.seats[DAN].CopyFrom(dan)
    return update


def presence(*, present: bool = False, away: bool = False, seat: int = DAN) -> table_pb2.Event:
    return table_pb2.Event(presence_changed=table_pb2.PresenceChanged(seat=seat, present=present, away=away))


LOST, BACK, AWAY = presence(), presence(present=True), presence(away=True)


class Story:
    """A table that is told to Ana, on seat 0."""

    def __init__(self, opening: table_pb2.Update, language: str = "en") -> None:
        self.shown = opening
        self.narrator = Narrator(Texts(language))
        assert self.told(snapshot=True) == []

    def told(self, *happened: table_pb2.Event, snapshot: bool = False) -> list[str]:
        update = table_pb2.Update(table=self.shown.table, events=happened, snapshot=snapshot)
        return [line.plain for line in self.narrator.tell(update, self.shown.table, 0, VIEWS["arzoi"])]


@pytest.mark.parametrize(
    ("language", "lost", "away", "back"),
    [
        ("ro", "Dan a pierdut legătura.", "Dan lipsește: un bot joacă pentru Dan.", "Dan s-a întors."),
        ("en", "Dan lost the connection.", "Dan is away: a bot plays for Dan.", "Dan is back."),
    ],
)
def test_loss_absence_and_return_are_told(language: str, lost: str, away: str, back: str) -> None:
    story = Story(with_dan(position(4, "whist")), language)
    assert story.told(LOST) == [lost]
    assert story.told(AWAY) == [away]
    assert story.told(BACK) == [back]
    assert story.told(LOST, BACK) == [lost, back]


def test_a_short_loss_is_told_while_the_table_waits_too() -> None:
    story = Story(with_dan(waiting_table(4)))
    assert story.told(LOST) == ["Dan lost the connection."]
    assert story.told(BACK) == ["Dan is back."]


def test_somebody_who_comes_for_the_first_time_is_not_said_to_be_back() -> None:
    assert Story(with_dan(position(4, "whist"))).told(BACK) == ["Dan is here."]
    sat = table_pb2.Event(seat_taken=table_pb2.SeatTaken(index=DAN, seat=with_dan(waiting_table(4)).table.seats[DAN]))
    assert Story(with_dan(waiting_table(4))).told(sat, BACK) == ["Dan sits down."]


def test_who_was_away_before_the_viewer_came_is_back_on_return() -> None:
    assert Story(with_dan(position(4, "whist"), away=True)).told(BACK) == ["Dan is back."]


def test_who_was_given_to_a_bot_by_the_clock_is_back_on_return() -> None:
    story = Story(with_dan(position(4, "whist")))
    out = table_pb2.Event(clock_expired=table_pb2.ClockExpired(seat=DAN, away=True))
    assert story.told(out) == ["Dan does not answer any more: a bot plays."]
    assert story.told(BACK) == ["Dan is back."]


def test_who_takes_the_seat_of_somebody_lost_is_not_said_to_be_back() -> None:
    story = Story(with_dan(position(4, "whist")))
    left = table_pb2.Event(seat_left=table_pb2.SeatLeft(index=DAN, player_id="dan"))
    assert story.told(LOST) == ["Dan lost the connection."]
    assert story.told(left) == ["Dan leaves."]
    assert story.told(BACK) == ["Dan is here."]


def test_the_viewer_is_not_told_of_coming_to_the_table_but_of_having_been_away() -> None:
    story = Story(position(4, "whist"))
    assert story.told(presence(present=True, seat=0)) == []
    assert story.told(presence(seat=0), presence(present=True, seat=0)) == ["Ana lost the connection.", "Ana is back."]


@pytest.mark.parametrize(
    ("language", "words"),
    [("ro", "Clubul a fost refăcut așa cum era la {}"), ("en", "The club was restored to how it was at {}")],
)
def test_a_table_that_went_back_to_a_backup_says_so_once_for_each_time(language: str, words: str) -> None:
    story = Story(with_dan(position(4, "whist")), language)
    for seconds in (1_800_000_000, 1_800_086_400):
        story.shown.table.restored_to.FromSeconds(seconds)
        (line,) = story.told(snapshot=True)
        assert line.startswith(words.format(f"{datetime.fromtimestamp(seconds):%Y-%m-%d %H:%M}"))
        assert story.told(snapshot=True) == []
        assert story.told(LOST) != []
        assert len(story.told(BACK)) == 1


async def test_the_feed_tells_who_lost_the_connection_and_who_is_back(club: TerminalClub, tmp_path: Path) -> None:
    club.shown = with_dan(position(4, "whist"))
    async with terminal(club.addresses, tmp_path) as driver:
        await driver.sees("Cum vă spune lumea")
        await driver.write("Ana")
        await driver.press("enter")
        await driver.sees("Bun venit, Ana")
        driver.app.open_table(TABLE_ID)
        await driver.sees("Jucați o carte.")
        for event, words in (
            (LOST, "Dan a pierdut legătura."),
            (AWAY, "Dan lipsește: un bot joacă pentru Dan."),
            (BACK, "Dan s-a întors."),
        ):
            club.push(table_pb2.Update(events=[event]))
            await driver.until(lambda words=words: words in driver.widget("#feed", Feed).lines, words)  # type: ignore[misc]
