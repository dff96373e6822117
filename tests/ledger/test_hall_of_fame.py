"""The Hall of Fame and the leaderboard, on both databases."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.ledger.corrections import reverse
from services.ledger.errors import BadPageTokenError
from services.ledger.hall_of_fame import Famous, hall_of_fame, standing_of
from services.ledger.leaderboards import Leader, Order, leaderboard, usual_order
from services.ledger.models import Account
from services.ledger.pages import float_token, integer_token, read_float_token, read_integer_token
from tests.support.ledger import World, finished, rentz, secret_of


async def whole_hall(world: World, size: int = 100, game: str = "arzoi") -> list[Famous]:
    """All pages after one another."""
    found: list[Famous] = []
    token = ""
    while True:
        async with world.database.reading() as session:
            page = await hall_of_fame(session, game, size, token)
        assert len(page.rows) <= size
        found += page.rows
        token = page.next_page_token
        if not token:
            return found
        assert len(page.rows) == size


async def whole_leaderboard(world: World, size: int = 100, game: str = "arzoi", order: Order = "skill") -> list[Leader]:
    """All pages after one another."""
    found: list[Leader] = []
    token = ""
    while True:
        async with world.database.reading() as session:
            page = await leaderboard(session, game, order, size, token)
        found += page.rows
        token = page.next_page_token
        if not token:
            return found


async def people(world: World, points: Sequence[int]) -> list[str]:
    """So many people, each with one match against a bot and these points."""
    players = [await world.guest(f"Player {n}") for n in range(len(points))]
    for n, (player, own) in enumerate(zip(players, points, strict=True)):
        await world.ledger.post(finished(f"m{n}", [(player, own), (None, 0)]))
    return players


@pytest.mark.rule("AZ-48")
async def test_final_points_of_finished_matches_are_added_up(world: World) -> None:
    ana, ion = await world.guest("Ana"), await world.guest("Ion")
    for match_id, of_ana, of_ion in (("m1", 57, -12), ("m2", 3, 40), ("m3", -9, -9)):
        await world.ledger.post(finished(match_id, [(ana, of_ana), (ion, of_ion), (None, -50)]))
    assert await whole_hall(world) == [
        Famous(rank=1, player_id=ana, name="Ana", points=51, matches=3, wins=2),
        Famous(rank=2, player_id=ion, name="Ion", points=19, matches=3, wins=2),
    ]


@pytest.mark.rule("AZ-48", "GAP-A24")
async def test_people_are_shown_by_their_present_name_and_counted_by_account(world: World) -> None:
    ana = await world.guest("Ana")
    await world.ledger.post(finished("m1", [(ana, 10), (None, 3)]))
    await world.identity.rename(ana, "Maria")
    other = (await world.identity.create_guest("request-2", "Ana", secret_of("another"))).account.player_id
    await world.ledger.post(finished("m2", [(ana, 5), (other, 7)]))
    assert [(one.player_id, one.name, one.points) for one in await whole_hall(world)] == [
        (ana, "Maria", 15),
        (other, "Ana", 7),
    ]


@pytest.mark.rule("GAP-A24")
async def test_negative_totals_count_and_stand_below_zero(world: World) -> None:
    low, high, zero = await people(world, [-40, -5, 0])
    assert [(one.rank, one.player_id, one.points) for one in await whole_hall(world)] == [
        (1, zero, 0),
        (2, high, -5),
        (3, low, -40),
    ]


@pytest.mark.rule("GAP-A24")
async def test_bots_are_never_in_the_hall_of_fame(world: World) -> None:
    await world.ledger.post(finished("m1", [(None, 100), (None, 90), (None, 80)]))
    assert await whole_hall(world) == []
    ana = await world.guest("Ana")
    await world.ledger.post(finished("m2", [(None, 100), (ana, -90), (None, 80)]))
    assert [one.player_id for one in await whole_hall(world)] == [ana]


@pytest.mark.rule("GAP-A24")
async def test_the_person_who_holds_the_seat_at_the_end_gets_the_points(world: World) -> None:
    """Whoever left or was removed is not named in the result; a bot that helped out changes nothing."""
    stayed, came = await world.guest("Ana"), await world.guest("Ion")
    match = finished("m1", [(stayed, 20), (came, 11), (None, 5)])
    assert [seat.decisions_by_bot for seat in match.seats] == [0, 1, 2]
    await world.ledger.post(match)
    assert {one.player_id: one.points for one in await whole_hall(world)} == {stayed: 20, came: 11}


async def test_joint_winners_have_each_won(world: World) -> None:
    ana, ion = await world.guest("Ana"), await world.guest("Ion")
    await world.ledger.post(finished("m1", [(ana, 20), (ion, 20), (None, 5)]))
    assert {one.wins for one in await whole_hall(world)} == {1}


async def test_equal_points_share_a_rank_and_the_next_rank_counts_all_before(world: World) -> None:
    await people(world, [10, 30, 20, 20, 30, 5, 20])
    assert [(one.rank, one.points) for one in await whole_hall(world)] == [
        (1, 30),
        (1, 30),
        (3, 20),
        (3, 20),
        (3, 20),
        (6, 10),
        (7, 5),
    ]


@pytest.mark.parametrize("size", [1, 2, 3, 4, 7])
async def test_pages_of_any_size_give_the_same_list_with_the_same_ranks(world: World, size: int) -> None:
    await people(world, [10, 30, 20, 20, 30, 5, 20])
    assert await whole_hall(world, size) == await whole_hall(world)


async def test_a_page_goes_on_where_the_last_one_ended_though_points_changed(world: World) -> None:
    players = await people(world, [50, 40, 30, 20, 10])
    async with world.database.reading() as session:
        first = await hall_of_fame(session, "arzoi", 2, "")
    await world.ledger.post(finished("more", [(players[4], 100), (None, 0)]))  # the last becomes the first
    async with world.database.reading() as session:
        second = await hall_of_fame(session, "arzoi", 2, first.next_page_token)
    assert [one.player_id for one in first.rows] == players[:2]
    assert [(one.rank, one.player_id) for one in second.rows] == [(4, players[2]), (5, players[3])]
    assert second.next_page_token == ""


async def test_the_profile_gives_the_same_rank_as_the_list(world: World) -> None:
    await people(world, [10, 30, 20, 20, 30])
    for famous in await whole_hall(world):
        async with world.database.reading() as session:
            account = await session.get(Account, famous.player_id)
            assert account is not None
            assert await standing_of(session, account, "arzoi") == famous


async def test_who_has_only_matches_taken_back_is_not_listed(world: World) -> None:
    first, second = await people(world, [30, 10])
    await reverse(world.database, "m0", "test", world.clock)
    assert [(one.rank, one.player_id) for one in await whole_hall(world)] == [(1, second)]
    async with world.database.reading() as session:
        account = await session.get(Account, first)
        assert account is not None
        assert await standing_of(session, account, "arzoi") is None


async def test_every_game_has_its_own_hall(world: World) -> None:
    await people(world, [30, 10])
    assert await whole_hall(world, game="remi") == []


async def test_the_leaderboard_lists_people_by_what_they_have_shown_for_certain(world: World) -> None:
    players = [await world.guest(name) for name in ("Ana", "Ion", "Radu", "Maria")]
    await world.ledger.post(finished("m1", [(players[0], 9), (players[1], 4)]))
    await world.ledger.post(finished("m2", [(players[0], 9), (players[2], 4)]))
    await world.ledger.post(finished("m3", [(players[3], 9), (None, 4)]))  # nobody to compare with
    leaders = await whole_leaderboard(world)
    assert leaders[0].name == "Ana"
    assert {leader.name for leader in leaders} == {"Ana", "Ion", "Radu"}
    assert [leader.rank for leader in leaders] == [1, 2, 3]
    ordinals = [leader.rating.ordinal for leader in leaders if leader.rating]
    assert ordinals == sorted(ordinals, reverse=True)


async def test_equal_estimates_share_a_rank_across_pages(world: World) -> None:
    for n in range(3):
        ana, ion = await world.guest(f"Ana {n}"), await world.guest(f"Ion {n}")
        await world.ledger.post(finished(f"m{n}", [(ana, 9), (ion, 4)]))
    expected = [1, 1, 1, 4, 4, 4]
    for size in (1, 2, 4, 100):
        leaders = await whole_leaderboard(world, size)
        assert [leader.rank for leader in leaders] == expected
        assert len({leader.player_id for leader in leaders}) == 6


# By points rating


def test_games_are_listed_by_what_their_players_expect() -> None:
    assert usual_order("rentz") == "points"
    assert usual_order("arzoi") == "skill"


async def rentz_evening(world: World) -> dict[str, str]:
    """Two matches of Rentz, the second stopped: 1020+13, 1003+2, 993-20 (left) and 980-13."""
    ids = {name: await world.guest(name) for name in ("Ana", "Ion", "Radu", "Maria")}
    ana, ion, radu, maria = ids.values()
    await world.ledger.post(rentz("m1", [(ana, 200), (ion, -500), (radu, -1000), (maria, -1500)]))
    seats: list[tuple[str | None, int]] = [(ana, 200), (ion, -500), (None, -1000), (maria, -1500)]
    await world.ledger.post(rentz("m2", seats, starters=[ana, ion, radu, maria], finished=20))
    return ids


async def test_the_leaderboard_of_rentz_is_that_of_its_points_rating(world: World) -> None:
    await rentz_evening(world)
    leaders = await whole_leaderboard(world, game="rentz", order="points")
    assert [(one.rank, one.name, one.points_rating.rating) for one in leaders if one.points_rating] == [
        (1, "Ana", 1033),
        (2, "Ion", 1005),
        (3, "Radu", 973),
        (4, "Maria", 970),
    ]
    assert [one.points_rating.matches for one in leaders if one.points_rating] == [2, 2, 2, 2]
    assert [one.rating.matches for one in leaders if one.rating] == [1, 1, 1, 1]


async def test_rentz_can_be_listed_by_skill_as_well_with_the_points_rating_beside_it(world: World) -> None:
    await rentz_evening(world)
    stranger, other = await world.guest("Dan"), await world.guest("Eva")
    await world.ledger.post(rentz("m3", [(stranger, 0), (None, -10), (None, -20), (other, -30)]))
    leaders = {one.name: one for one in await whole_leaderboard(world, game="rentz")}
    assert set(leaders) == {"Ana", "Ion", "Radu", "Maria", "Dan", "Eva"}
    assert {name for name, one in leaders.items() if one.points_rating} == {"Ana", "Ion", "Radu", "Maria"}
    by_points = await whole_leaderboard(world, game="rentz", order="points")
    assert {one.name for one in by_points} == {"Ana", "Ion", "Radu", "Maria"}


async def test_who_only_left_stands_on_the_leaderboard_without_an_estimate(world: World) -> None:
    ids = [await world.guest(name) for name in ("Ana", "Ion", "Radu", "Maria")]
    seats: list[tuple[str | None, int]] = [(None, 0), (ids[1], 0), (ids[2], 0), (ids[3], 0)]
    await world.ledger.post(rentz("m1", seats, starters=ids, finished=3))
    [leader] = await whole_leaderboard(world, game="rentz", order="points")
    assert leader.points_rating is not None
    assert (leader.name, leader.points_rating.rating, leader.rating) == ("Ana", 980, None)


async def test_equal_points_ratings_share_a_rank_across_pages(world: World) -> None:
    for n in range(2):
        ids = [await world.guest(f"{name} {n}") for name in ("Ana", "Ion", "Radu", "Maria")]
        await world.ledger.post(rentz(f"m{n}", [(ids[0], 9), (ids[1], 9), (ids[2], 4), (ids[3], -9)]))
    for size in (1, 2, 3, 5, 100):
        leaders = await whole_leaderboard(world, size, "rentz", "points")
        assert [leader.rank for leader in leaders] == [1, 1, 1, 1, 5, 5, 7, 7]
        assert len({leader.player_id for leader in leaders}) == 8


async def test_nobody_has_a_points_rating_in_a_game_that_has_none(world: World) -> None:
    await people(world, [30, 10])
    assert await whole_leaderboard(world, order="points") == []


async def test_the_hall_of_fame_of_rentz_shows_points_ratings_too(world: World) -> None:
    ids = await rentz_evening(world)
    alone = await world.guest("Dan")
    await world.ledger.post(rentz("m3", [(alone, 0), (None, -10), (None, -20), (None, -30)]))
    hall = await whole_hall(world, game="rentz")
    assert [(one.name, one.points, one.matches, one.points_rating) for one in hall] == [
        ("Ana", 200, 1, 1033),
        ("Dan", 0, 1, 1000),
        ("Ion", -500, 1, 1005),
        ("Radu", -1000, 1, 973),
        ("Maria", -1500, 1, 970),
    ]
    async with world.database.reading() as session:
        account = await session.get(Account, ids["Radu"])
        assert account is not None
        assert await standing_of(session, account, "rentz") == hall[3]
    assert {one.points_rating for one in await whole_hall(world)} <= {None}


# Page tokens


@given(st.integers(-(2**63), 2**63 - 1), st.text(st.characters(exclude_characters="\0", codec="utf-8"), max_size=64))
def test_a_token_says_what_it_was_made_of(value: int, tie: str) -> None:
    token = integer_token("list", value, tie)
    assert read_integer_token("list", token) == (value, tie)


@given(st.floats(allow_nan=False))
def test_a_token_keeps_a_float_exactly(value: float) -> None:
    assert read_float_token("list", float_token("list", value, "x")) == (value, "x")


def test_an_ordinary_token_is_short_enough_for_the_contract() -> None:
    assert len(integer_token("list", -(2**63), "x" * 64)) <= 256


@given(st.text(max_size=256))
def test_what_is_no_token_is_refused(text: str) -> None:
    with pytest.raises(BadPageTokenError):
        read_integer_token("list", text)


@given(st.data())
def test_a_changed_token_is_refused(data: st.DataObject) -> None:
    token = integer_token("list", 1234, "somebody")
    place = data.draw(st.integers(0, len(token) - 2))
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdef0123456789-_".replace(token[place], "")
    other = data.draw(st.sampled_from(letters))
    with pytest.raises(BadPageTokenError):
        read_integer_token("list", token[:place] + other + token[place + 1 :])


def test_a_token_of_another_list_is_refused() -> None:
    with pytest.raises(BadPageTokenError):
        read_integer_token("hall_of_fame/remi", integer_token("hall_of_fame/arzoi", 5, "x"))
    with pytest.raises(BadPageTokenError):
        read_integer_token("list", integer_token("list", 5, "nul\0"))
