"""Tables that play one deal: each of the cast sits at one of them."""

from collections.abc import Sequence
from typing import Any, Protocol

from pbem.kit.codec import encode
from pbem.models.leagues import DealRow
from pbem.services.lobby import seating
from pbem.services.log import deals, store
from pbem.services.site import Site
from tests.table import address_of


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
        table = seating.Terms(deal.game, deal.options, organiser_id=people[0].player_id, **wanted)
        match = seating.set_up_match(house.site, work, table, people, deal=deal)
        seating.start_if_full(house.site, work, match)
        return match.id


def _player(house: Sited, work: Any, name: str, lang: str) -> int:
    player = seating.find_or_add_player(house.site, work, address_of(name), lang, "Europe/London")
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
    close(house, deal_id)
    return deal_id, matches


def close(house: Sited, deal_id: str) -> None:
    """Closes the deal."""
    with house.site.writing() as work:
        deals.close_deal(work, deal_id)


def deal_row(house: Sited, deal_id: str) -> DealRow:
    """Returns the deal as it is stored now."""
    with house.site.reading() as session:
        return session.get_one(DealRow, deal_id)
