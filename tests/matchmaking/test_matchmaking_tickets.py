"""What a player may do with tickets."""

import pytest

from services.matchmaking.errors import RequestIdReusedError, TicketNotFoundError, TicketOpenError
from services.matchmaking.tickets import TICKETS_KEPT, Ticket, Wallet, change, player_key

EMPTY = Wallet(player="p1")


def test_a_ticket_waits_from_the_moment_it_is_taken() -> None:
    wallet, ticket = EMPTY.take("request-1", "arzoi-4", "Ana", 1000)
    assert (ticket.queue_id, ticket.created, ticket.status, ticket.open) == ("arzoi-4", 1000, "waiting", True)
    assert wallet.open_ticket == ticket
    assert wallet.name == "Ana"
    assert EMPTY.tickets == ()


def test_the_same_request_finds_the_ticket_that_it_took() -> None:
    wallet, ticket = EMPTY.take("request-1", "arzoi-4", "Ana", 1000)
    again, found = wallet.take("request-1", "arzoi-4", "Ana", 9000)
    assert again is wallet
    assert found == ticket


def test_the_same_request_finds_its_ticket_also_when_that_is_over_and_another_is_open() -> None:
    wallet, first = EMPTY.take("request-1", "arzoi-4", "Ana", 1000)
    wallet = wallet.replace(change(first, status="cancelled"))
    wallet, second = wallet.take("request-2", "arzoi-5", "Ana", 2000)
    assert wallet.take("request-1", "arzoi-4", "Ana", 3000)[1].status == "cancelled"
    assert wallet.open_ticket == second


def test_the_same_request_cannot_name_another_queue() -> None:
    wallet, _ = EMPTY.take("request-1", "arzoi-4", "Ana", 1000)
    with pytest.raises(RequestIdReusedError):
        wallet.take("request-1", "arzoi-5", "Ana", 1000)


def test_a_player_has_one_open_ticket() -> None:
    wallet, ticket = EMPTY.take("request-1", "arzoi-4", "Ana", 1000)
    with pytest.raises(TicketOpenError) as raised:
        wallet.take("request-2", "arzoi-4", "Ana", 2000)
    assert (raised.value.ticket_id, raised.value.queue_id) == (ticket.id, "arzoi-4")


@pytest.mark.parametrize("status", ["matched", "cancelled", "expired"])
def test_when_a_ticket_is_over_another_can_be_taken(status: str) -> None:
    wallet, first = EMPTY.take("request-1", "arzoi-4", "Ana", 1000)
    wallet = wallet.replace(change(first, status=status))
    assert wallet.open_ticket is None
    wallet, second = wallet.take("request-2", "arzoi-4", "Ana", 2000)
    assert wallet.open_ticket == second
    assert second.id != first.id


def test_old_tickets_are_forgotten_and_the_latest_kept() -> None:
    wallet = EMPTY
    for number in range(20):
        wallet, ticket = wallet.take(f"request-{number}", "arzoi-4", "Ana", number)
        wallet = wallet.replace(change(ticket, status="cancelled"))
    assert [ticket.request_id for ticket in wallet.tickets] == [f"request-{number}" for number in range(12, 20)]
    assert len(wallet.tickets) == TICKETS_KEPT


def test_tickets_are_found_by_id_and_the_open_one_without() -> None:
    wallet, first = EMPTY.take("request-1", "arzoi-4", "Ana", 1000)
    assert wallet.find(first.id) == first
    assert wallet.find("") == first
    wallet = wallet.replace(change(first, status="expired"))
    assert wallet.find(first.id).status == "expired"
    for unknown in ("", "nothing"):
        with pytest.raises(TicketNotFoundError):
            wallet.find(unknown)


def test_ids_and_keys_differ_between_players_and_hold_nothing_but_hex() -> None:
    ids = {Wallet(player=player).take("request-1", "arzoi-4", "", 0)[1].id for player in ("a", "b", "a.>", "ț")}
    keys = {player_key(player) for player in ("a", "b", "a.>", "ț", "service:bot", "x" * 64)}
    assert len(ids) == 4
    assert len(keys) == 6
    assert all(set(text) <= set("0123456789abcdef") for text in ids | keys)


def test_a_changed_ticket_leaves_the_others_as_they_were() -> None:
    tickets = tuple(Ticket(id=name, request_id=name, queue_id="q", created=0, status="cancelled") for name in "abc")
    wallet = Wallet(player="p", tickets=tickets)
    changed = wallet.replace(change(tickets[1], table="t"))
    assert [ticket.table for ticket in changed.tickets] == ["", "t", ""]
