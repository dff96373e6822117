"""The parts of the client library that need no connection."""

import stat
from pathlib import Path

import grpc
import pytest

from shared.client.addresses import Addresses
from shared.client.backoff import Backoff
from shared.client.credentials import Credentials, CredentialsDamagedError, FileStore
from shared.client.errors import ClubError, ContractBrokenError
from shared.client.fold import TableView
from shared.client.observable import Observable
from shared.client.sequence import GapError, RevisionSequence
from shared.gen.levata.table.v1 import table_pb2
from tests.support.scripted_club import ScriptedTables, bid, dealt, scored


def update(revision: int, *, snapshot: bool = False, table: bool = True) -> table_pb2.Update:
    made = table_pb2.Update(revision=revision, snapshot=snapshot)
    if table:
        made.table.table_id = "t"
    return made


def test_addresses_come_from_the_environment_and_fall_back_to_the_local_ones() -> None:
    found = Addresses.from_environment({"LEVATA_TABLE_ADDRESS": "a:1", "LEVATA_BOT_ADDRESS": "", "LEVATA_TLS": "1"})
    assert (found.table, found.bot, found.ledger, found.tls) == ("a:1", "127.0.0.1:7003", "127.0.0.1:7004", True)


def test_all_services_can_be_behind_one_door() -> None:
    door = Addresses.behind("club.example:443")
    assert {door.table, door.matchmaking, door.bot, door.ledger} == {"club.example:443"}
    assert door.tls


@pytest.mark.parametrize(
    ("failures", "jitter", "retry_after", "seconds"),
    [
        (1, 1.0, None, 0.1),
        (1, 0.0, None, 0.05),
        (2, 1.0, None, 0.2),
        (4, 0.5, None, 0.6),
        (7, 1.0, None, 5.0),
        (10_000, 1.0, None, 5.0),
        (1, 1.0, 3.0, 3.1),
        (0, 1.0, None, 0.1),
    ],
)
def test_waits_double_up_to_a_limit_and_never_undercut_what_the_server_asks(
    failures: int, jitter: float, retry_after: float | None, seconds: float
) -> None:
    assert Backoff(jitter=lambda: jitter).delay(failures, retry_after) == pytest.approx(seconds)


class TestCredentials:
    KEPT = Credentials(name="Ana", device_secret=b"\x00secret\xff", player_id="p1", access_token="a", refresh_token="r")

    def test_what_was_kept_is_read_back_and_only_the_owner_may_read_it(self, tmp_path: Path) -> None:
        path = tmp_path / "deep" / "me.json"
        FileStore(path).save(self.KEPT)
        assert FileStore(path).load() == self.KEPT
        assert stat.S_IMODE(path.stat().st_mode) == 0o600

    def test_saving_replaces_and_leaves_no_other_file(self, tmp_path: Path) -> None:
        store = FileStore(tmp_path / "me.json")
        store.save(self.KEPT)
        store.save(Credentials(name="Ion"))
        assert store.load() == Credentials(name="Ion")
        assert [path.name for path in tmp_path.iterdir()] == ["me.json"]

    def test_of_two_who_claim_an_empty_place_the_first_keeps_it(self, tmp_path: Path) -> None:
        path = tmp_path / "deep" / "me.json"
        assert FileStore(path).claim(self.KEPT)
        assert not FileStore(path).claim(Credentials(name="Ion"))
        assert FileStore(path).load() == self.KEPT
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert [path.name for path in path.parent.iterdir()] == ["me.json"]

    def test_nothing_kept_is_none_also_after_forgetting_twice(self, tmp_path: Path) -> None:
        store = FileStore(tmp_path / "me.json")
        assert store.load() is None
        store.save(self.KEPT)
        store.forget()
        store.forget()
        assert store.load() is None

    @pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"name": 3}', b'{"device_secret": "!"}'])
    def test_a_damaged_file_is_refused_and_left_as_it_is(self, tmp_path: Path, content: bytes) -> None:
        path = tmp_path / "me.json"
        path.write_bytes(content)
        with pytest.raises(CredentialsDamagedError, match=r"me\.json"):
            FileStore(path).load()
        assert path.read_bytes() == content

    def test_secrets_do_not_show_when_printed(self) -> None:
        assert "secret'" not in repr(self.KEPT)
        assert "Ana" in repr(self.KEPT)


class TestSequence:
    def test_each_revision_passes_once(self) -> None:
        sequence = RevisionSequence()
        assert [sequence.take(update(*args, snapshot=snap)) for args, snap in (((5,), True), ((6,), False))] == [
            True,
            True,
        ]
        assert not sequence.take(update(6))
        assert not sequence.take(update(5))
        assert not sequence.take(update(6, snapshot=True))
        assert sequence.take(update(7))
        assert sequence.last == 7

    def test_a_gap_is_not_taken(self) -> None:
        sequence = RevisionSequence(3)
        with pytest.raises(GapError):
            sequence.take(update(5))
        assert sequence.last == 3
        assert sequence.take(update(4))

    def test_a_newer_snapshot_closes_a_gap(self) -> None:
        sequence = RevisionSequence(3)
        assert sequence.take(update(9, snapshot=True))
        assert sequence.take(update(10))

    def test_the_first_update_of_a_new_watch_has_to_be_a_snapshot(self) -> None:
        with pytest.raises(GapError):
            RevisionSequence().take(update(1))

    def test_a_snapshot_of_the_same_revision_completes_an_update_that_came_without_a_table(self) -> None:
        sequence = RevisionSequence(3)
        assert sequence.take(update(4, table=False))
        assert sequence.take(update(4, snapshot=True))
        assert not sequence.take(update(4, snapshot=True))

    def test_a_snapshot_from_the_past_breaks_the_contract(self) -> None:
        with pytest.raises(ContractBrokenError):
            RevisionSequence(8).take(update(7, snapshot=True))

    def test_a_gap_that_resuming_does_not_close_breaks_the_contract(self) -> None:
        sequence = RevisionSequence(3)
        for _ in range(3):
            with pytest.raises(GapError):
                sequence.take(update(5))
        with pytest.raises(ContractBrokenError):
            sequence.take(update(5))

    def test_a_heartbeat_tells_of_a_gap(self) -> None:
        sequence = RevisionSequence(3)
        sequence.heard(table_pb2.Heartbeat(revision=3))
        sequence.heard(table_pb2.Heartbeat(revision=2))
        with pytest.raises(GapError):
            sequence.heard(table_pb2.Heartbeat(revision=4))


class TestView:
    async def test_the_fold_of_updates_equals_a_snapshot_at_their_end(self) -> None:
        tables = ScriptedTables.new()
        await tables.happen()
        view = TableView()
        view.apply(tables.snapshot())
        for round_number in range(1, 4):
            await tables.happen(dealt())
            await tables.happen(table_pb2.Event(action_taken=table_pb2.ActionTaken(action=bid(round_number))))
            await tables.happen(scored(round_number))
        for later in tables.updates[1:]:
            view.apply(later)
        expected = tables.snapshot()
        assert view.table == expected.table
        assert view.private == expected.private
        assert view.score_sheet == expected.score_sheet
        assert [row.round for row in view.score_sheet.arzoi.rows] == [1, 2, 3]
        assert view.seat == 1

    async def test_history_goes_back_to_the_last_deal_and_leaves_out_talk(self) -> None:
        tables = ScriptedTables.new()
        await tables.happen()
        view = TableView()
        view.apply(tables.snapshot())
        assert not view.history_complete
        for events in ([bid_event(1)], [dealt()], [bid_event(2)], [chat()], [bid_event(3), scored(1)]):
            await tables.happen(*events)
        for later in tables.updates[1:]:
            view.apply(later)
        assert view.history == [dealt(), bid_event(2), bid_event(3), scored(1)]
        assert view.history_complete

    async def test_a_snapshot_forgets_what_was_known(self) -> None:
        tables = ScriptedTables.new()
        await tables.happen(dealt(), scored(1))
        view = TableView()
        view.apply(tables.updates[0])
        assert len(view.score_sheet.arzoi.rows) == 1
        fresh = tables.snapshot()
        fresh.revision = 9
        fresh.ClearField("score_sheet")
        view.apply(fresh)
        assert (view.revision, view.history, view.history_complete) == (9, [], False)
        assert not view.score_sheet.arzoi.rows

    def test_a_table_that_has_not_started_has_a_whole_history(self) -> None:
        view = TableView()
        view.apply(table_pb2.Update(revision=1, snapshot=True, table=table_pb2.Table(table_id="t")))
        assert view.history_complete
        assert not view.over
        assert not view.my_turn

    async def test_its_own_snapshot_makes_the_same_view(self) -> None:
        tables = ScriptedTables.new()
        await tables.happen(dealt(), scored(1))
        view, other = TableView(), TableView()
        view.apply(tables.snapshot())
        other.apply(view.as_snapshot())
        assert (other.table, other.private, other.score_sheet) == (view.table, view.private, view.score_sheet)


def bid_event(tricks: int) -> table_pb2.Event:
    return table_pb2.Event(action_taken=table_pb2.ActionTaken(seat=1, action=bid(tricks)))


def chat() -> table_pb2.Event:
    return table_pb2.Event(chat_said=table_pb2.ChatSaid(text="hi"))


def test_a_failure_on_a_stream_reads_like_the_error_of_a_call() -> None:
    failure = table_pb2.Failure(code=9, reason="MUST_FOLLOW_SUIT", message="m", metadata={"rule": "AZ-18"})
    error = ClubError.from_failure(failure)
    assert (error.code, error.reason, error.metadata) == (
        grpc.StatusCode.FAILED_PRECONDITION,
        "MUST_FOLLOW_SUIT",
        {"rule": "AZ-18"},
    )
    assert error.retry_after is None
    assert ClubError.from_failure(table_pb2.Failure(code=8, retry_milliseconds=1500)).retry_after == 1.5
    assert ClubError.from_failure(table_pb2.Failure(code=99)).code is grpc.StatusCode.UNKNOWN
    assert error.violations == ()
    broken = table_pb2.FieldViolation(field="send_chat.text", description="is too long")
    malformed = ClubError.from_failure(table_pb2.Failure(code=3, reason="BAD_REQUEST", violations=[broken]))
    assert malformed.violations == (("send_chat.text", "is too long"),)


def test_an_error_that_is_printed_names_the_malformed_fields() -> None:
    faults = (("options.seats", "value must be at least 2"), ("request_id", "no match"))
    error = ClubError(grpc.StatusCode.INVALID_ARGUMENT, "BAD_REQUEST", "The request is malformed.", violations=faults)
    assert str(error) == (
        "BAD_REQUEST: The request is malformed. (options.seats: value must be at least 2; request_id: no match)"
    )
    assert error.message == "The request is malformed."


async def test_followers_hear_of_changes_only_until_they_stop() -> None:
    value = Observable(1)
    heard: list[int] = []
    stop = value.follow(heard.append)
    value.set(1)
    value.set(2)
    stop()
    stop()
    value.set(3)
    assert heard == [2]
    assert await value.until(lambda now: now == 3) == 3
