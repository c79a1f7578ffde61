"""The secrecy law over tables that play one deal, of which one is over and another is not.

On pairs of worlds: what anybody receives who does not sit at the finished table is the same in every byte, however that
was played; and what those who sit there receive depends on nothing but what they could see when it ended.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from sqlmodel import select

from pbem.features.records import records
from pbem.features.webhooks import cursors, registry
from pbem.features.webhooks.tables import Delivery
from pbem.kit.replay import AnyEntry
from pbem.models.tables import Match, Player
from pbem.services.log import cancellation
from pbem.services.who import HOST
from tests.deals import begin_deal, deal_row
from tests.secrecy.received import (
    Received,
    api_paths,
    authorization_header,
    client_of,
    comparable_answer,
    compare_received,
    copy_with,
    full_log,
    page_paths,
    play_randomly,
    reopen_mail,
    what_is_received,
    worlds_of,
)
from tests.table import FOUR, House, address_of

HERE, ELSEWHERE = FOUR[:3], ("Dave", "Maximilienne", "Fanny")
RANDOM_MOVES = 24
HIDES_TO_THE_END = ("hogen", pytest.param("niigata", marks=pytest.mark.long))
"""In the other games everything that is hidden comes out at the end."""


# --- for everybody else ----------------------------------------------------------------------------------------


@pytest.mark.long
@pytest.mark.parametrize("slug", ["hogen", pytest.param("hagakure", marks=pytest.mark.long)])
def test_a_deal_in_play_reveals_nothing_of_how_another_table_played_it(slug: str, house: House, tmp_path: Path) -> None:
    _, (over, running) = begin_deal(house, slug, (HERE, ELSEWHERE))
    play_randomly(house, running, 4, 0)
    registry.add_webhook(house.site, HOST, "https://example.org/hook", ("moved", "over"))
    pages = [publish_results(house, name) for name in HERE]
    there = copy_with(house, over, full_log(house, over), tmp_path / "there")
    worlds = []
    for number, world in enumerate((house, there)):
        finish_differently(world, over, number)
        worlds.append(all_received_elsewhere(world, over, running, pages))
    assert [e.event for e in full_log(house, over)] != [e.event for e in full_log(there, over)]
    compare_received(*worlds)
    there.site.engine.dispose()


def finish_differently(house: House, match_id: str, number: int) -> None:
    """Plays the match to its end, in another way for each number."""
    play_randomly(house, match_id, RANDOM_MOVES, number)
    house.play_out(match_id)
    assert house.view(match_id, 0).sheet.over


def publish_results(house: House, name: str) -> str:
    """Makes the page of the player's results public, and returns its address."""
    with house.site.reading() as session:
        player = session.exec(select(Player).where(Player.canonical == address_of(name))).one()
        assert player.id is not None
    records.publish_record(house.site, player.id)
    with house.site.reading() as session:
        return f"/record/{session.get_one(Player, player.id).page_key}"


def all_received_elsewhere(house: House, over: str, running: str, pages: Sequence[str]) -> Received:
    """Returns all that anybody can get who is not seated at the finished table."""
    client, out = client_of(house), Received()
    for viewer in (None, *range(len(ELSEWHERE))):
        headers = {} if viewer is None else authorization_header(house, running, viewer)
        for path in (*api_paths(over), *api_paths(running)):
            out[f"{viewer} {path}"] = comparable_answer(client, path, headers)
    for path in (*public_paths(over), *public_paths(running), *pages):
        out[path] = comparable_answer(client, path, {})
    for name in ("analysis", "pictures"):
        response = client.post(f"/replay/{over}/{name}", data={"kind": "png", "step": 1})
        out[f"{name} asked for"] = response.status_code, response.data
        assert response.status_code >= 400, name
    for seat in range(len(ELSEWHERE)):
        for path in (*page_paths(house, running, seat), *own_paths(house, running, seat)):
            out[path] = comparable_answer(client, path, {})
    cursors.queue_calls_for_new_events(house.site)
    with house.site.reading() as session:
        calls = session.exec(select(Delivery)).all()
        assert not [call for call in calls if call.match_id == over]
        out["calls of the host's programs"] = [(call.kind, call.match_id, call.n) for call in calls]
    assert {out[f"None {path}"][0] for path in api_paths(over)} == {401, 404}  # 401: only seats are asked
    assert {out[path][0] for path in public_paths(over)} == {404}
    return out


def public_paths(match_id: str) -> list[str]:
    """Returns the addresses under which a match with spectators is shown."""
    replay = f"/replay/{match_id}"
    return [
        *page_paths_of_spectators(match_id), f"/match/{match_id}/luck", f"{replay}?viewer=0", f"{replay}?viewer=all",
        f"{replay}/frames.json?viewer=1", f"{replay}/picture.png",
    ]  # fmt: skip


def page_paths_of_spectators(match_id: str) -> list[str]:
    """Returns the pages for spectators, which exist whether or not there may be any."""
    pictures = [f"/match/{match_id}/picture.png", f"/replay/{match_id}/picture.png?step=2"]
    return [f"/match/{match_id}", f"/replay/{match_id}", f"/replay/{match_id}/frames.json", *pictures]


def own_paths(house: House, match_id: str, seat: int) -> Iterator[str]:
    """Yields what a seat has besides its page: luck, log, and what others saw."""
    play = f"/play/{house.token('play', match_id, seat)}"
    yield from (f"{play}/luck", f"{play}/replay/log", f"{play}/replay/analysis.json")
    yield from (f"{play}/replay?viewer={eyes}" for eyes in ("all", "none", 0, 1, 2))
    yield from (f"{play}/replay/frames.json?viewer={eyes}" for eyes in ("all", "none", 0, 1, 2))


# --- for those who sit at the finished table -------------------------------------------------------------------


@pytest.mark.parametrize("slug", HIDES_TO_THE_END)
@pytest.mark.parametrize("everybody", [False, pytest.param(True, marks=pytest.mark.long)])
def test_a_finished_tables_players_see_no_more_until_the_deal_opens(
    slug: str, everybody: bool, house: House, tmp_path: Path
) -> None:
    over, pairs = a_finished_table_with_other_worlds(house, slug)
    for number, (seat, other) in enumerate(pairs if everybody else pairs[-1:]):
        there = copy_with(house, over, other, tmp_path / f"{number}")
        found = []
        for world in (house, there):
            reopen_mail(world, seat)
            out = what_is_received(world, over, seat)
            for path in own_paths(world, over, seat):
                out[path] = comparable_answer(client_of(world), path, {})
            found.append(out)
        compare_received(*found)
        there.site.engine.dispose()


def a_finished_table_with_other_worlds(house: House, slug: str) -> tuple[str, list[tuple[int, list[AnyEntry]]]]:
    """Returns a table that is over while another plays its deal, and another world for its seats."""
    for luck in range(10):
        deal_id, (over, _) = begin_deal(house, slug, (HERE, ELSEWHERE))
        finish_differently(house, over, luck)
        assert deal_row(house, deal_id).opened_at is None
        entries = full_log(house, over)
        pairs = [(seat, one) for seat in range(3) for one in worlds_of(slug).worlds(entries, seat, 1)]
        if pairs:
            return over, pairs
        house.drain()
    raise AssertionError("at the end nobody is in doubt about anything")


@pytest.mark.long
@pytest.mark.parametrize("slug", HIDES_TO_THE_END)
def test_once_a_deal_is_open_the_compared_worlds_differ(slug: str, house: House, tmp_path: Path) -> None:
    """The comparison itself can fail; and the secrets do come out in the end."""
    over, pairs = a_finished_table_with_other_worlds(house, slug)
    seat, other = pairs[0]
    there = copy_with(house, over, other, tmp_path / "there")
    logs = []
    for world in (house, there):
        end_all_others(world, over)
        logs.append(
            comparable_answer(client_of(world), f"/api/v1/matches/{over}/log", authorization_header(world, over, seat))
        )
    assert logs[0] != logs[1]
    there.site.engine.dispose()


def end_all_others(house: House, over: str) -> None:
    """Calls off all other tables of the deal."""
    with house.site.reading() as session:
        deal = session.get_one(Match, over).deal_id
        others = session.exec(select(Match.id).where(Match.deal_id == deal, Match.status == "running")).all()
    for match_id in others:
        cancellation.cancel_match_for_host(house.site, match_id)
