"""Tables that play one deal: each of the cast sits at one of them."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

from pbem.kit.codec import encode
from pbem.kit.logs.logfile import Log
from pbem.models.deals import DealRow
from pbem.services.lobby import seating
from pbem.services.lobby.match_request import Terms
from pbem.services.log import deals, store
from pbem.services.log.table import table_of
from pbem.services.play import takeback, timeouts
from pbem.services.players import players
from pbem.services.site import Site
from pbem.services.views import match_views
from tests.table import House, address_of, claim_of, open_house


class Sited(Protocol):
    """Whatever has a site."""

    @property
    def site(self) -> Site: ...


TABLES = (("Alice", "Bob", "Carol"), ("Dave", "Maximilienne", "Fanny"))


def new_deal(house: Sited, game: str = "hogen", seats: int = 3, options: Any = None) -> str:
    """Returns the id of a new deal; `options` are those of the game, or its default ones."""
    chosen = encode(options if options is not None else store.game_by_slug(game).meta.options()).decode()
    with house.site.writing() as work:
        return deals.new_deal(house.site, work, game, chosen, seats).id


def begin_table(house: Sited, deal_id: str, names: Sequence[str], *, lang: str = "en", **terms: Any) -> str:
    """Returns the id of a match of these people that plays the deal, and has begun."""
    with house.site.writing() as work:
        deal = work.get_one(DealRow, deal_id)
        people = [seating.Place("accepted", name, _player(house, work, name, lang)) for name in names]
        wanted = {"turn_s": 86_400, "window_s": 3600, "spectators": True, "silent": False} | terms
        table = Terms(deal.game, deal.options, organiser_id=people[0].player_id, **wanted)
        match = seating.set_up_match(house.site, work, table, people, deal=deal)
        seating.start_if_full(table_of(work, match))
        return match.id


def _player(house: Sited, work: Any, name: str, lang: str) -> int:
    player = players.find_or_add(work, address_of(name), lang, house.site.now(), "Europe/London")
    player.verified_at = house.site.now()
    work.add(player)
    work.flush()
    assert player.id is not None
    return player.id


def begin_deal(
    house: Sited, game: str = "hogen", tables: Sequence[Sequence[str]] = TABLES, *, options: Any = None, **terms: Any
) -> tuple[str, list[str]]:
    """Returns the id of a closed deal, and those of its tables, which have begun."""
    deal_id = new_deal(house, game, len(tables[0]), options)
    matches = [begin_table(house, deal_id, names, **terms) for names in tables]
    close_shared_deal(house, deal_id)
    return deal_id, matches


def close_shared_deal(house: Sited, deal_id: str) -> None:
    """Closes the deal."""
    with house.site.writing() as work:
        deals.close_deal(work, deal_id)


def deal_row(house: Sited, deal_id: str) -> DealRow:
    """Returns the deal as it is stored now."""
    with house.site.reading() as session:
        return session.get_one(DealRow, deal_id)


def log_with_takeback_at_a_shared_deal(database_url: str, data: Path) -> Log:
    """Returns the full log of a table of a shared deal at which the clock drew, was taken back, and drew again."""
    (log,) = (_play_with_takebacks(house) for house in open_house(database_url, data))
    return log


def _play_with_takebacks(house: House) -> Log:
    _, (match_id, other) = begin_deal(house, "hagakure", options={"rounds": 1})
    claims = [claim_of(house.site, match_id, seat) for seat in range(3)]
    while [ask.kind for ask in house.asks(match_id)] != ["card"]:
        house.play(match_id, house.asks(match_id)[0].seat)
    mover = house.asks(match_id)[0].seat
    for again in (False, True):
        house.play(match_id, mover)
        house.time_is_up(match_id)
        timeouts.sweep_deadlines(house.site)
        if again:
            break
        found = takeback.read_takeback(house.site, claims[mover]).reversible
        assert found.to is not None
        assert found.state == "consent"
        takeback.take_back(house.site, claims[mover], found.to)
        for seat in found.needed:
            takeback.answer_takeback_request(house.site, claims[seat], found.to, agree=True)
    house.play_out(match_id)
    house.play_out(other)
    return match_views.read_log(house.site, match_id, 0)
