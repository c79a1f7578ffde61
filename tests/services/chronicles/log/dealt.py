"""A deal that several tables play: made, given, closed, and opened."""

from __future__ import annotations

from functools import partial
from typing import Any

from sqlalchemy import select

from pbem.models.deals import DealRow
from pbem.models.tables import Match, table
from pbem.services.lobby import lucky_words, seating
from pbem.services.lobby.match_request import OpenSeat, Terms
from pbem.services.log import cancellation, deals, proofs, store
from pbem.services.log.table import table_of
from pbem.services.play import presence
from pbem.services.tokens import OpeningClaim
from tests.deals import TABLES, begin_table, close_shared_deal, new_deal
from tests.services.chronicles.cast import change_rows
from tests.services.chronicles.chronicle import Chronicle
from tests.table import House


def tell(house: House, told: Chronicle) -> None:
    site = house.site
    told.part("a deal")
    deal_id = told.do("of Hogen", lambda: new_deal(house))
    other = told.do("of Hagakure", lambda: new_deal(house, "hagakure", 4, None))
    assert deal_id is not None
    assert other is not None
    one = told.do("its first table", lambda: begin_table(house, deal_id, TABLES[0])) or ""
    two = told.do("its second", lambda: begin_table(house, deal_id, TABLES[1])) or ""
    told.do("a word there", lambda: _table(house, deal_id, word="owl"))
    told.do("a table that waits", lambda: _table(house, deal_id))
    for title, wanted in (("another game", "hagakure"), ("other seats", "hogen"), ("other options", "hogen")):
        told.do(title, partial(_wrong, house, deal_id, title, wanted))
    told.do("it is closed", lambda: close_shared_deal(house, deal_id))
    told.do("twice", lambda: close_shared_deal(house, deal_id))
    told.do("a further table", lambda: _table(house, deal_id))
    told.do("a deal that nobody has got", lambda: close_shared_deal(house, other))

    alone = house.begin(3)
    told.skip()

    def see(title: str) -> None:
        with site.reading() as session:
            matches = [store.get_match(session, match_id) for match_id in (one, two, alone)]
            told.do(title, lambda: [_what_is_seen(session, match, matches) for match in matches])

    see("who sees what")
    columns = "match_id, seat, away_n, player_id, name, at, void, former_id"
    former = f"INSERT INTO substitutes ({columns}) SELECT :m, 0, 1, id, 'x', created_at, false, id FROM players"
    change_rows(house, told, f"{former} WHERE id = 1", m=two)
    with site.reading() as session:
        told.do(
            "who sits elsewhere", lambda: [deals.players_elsewhere(session, match_id) for match_id in (one, two, alone)]
        )
        match = store.get_match(session, one)
        told.do("its deal, its table", lambda: (proofs.deal_id_of(match), proofs.table_id_at_shared_deal(match)))
        lone = store.get_match(session, alone)
        told.do("of one alone", lambda: (proofs.deal_id_of(lone), proofs.table_id_at_shared_deal(lone)))
        told.do("its keys", lambda: [*proofs.keys_of(match), proofs.keys_of(lone).seals])
        match.undone = lone.undone = 2
        told.do("its luck", lambda: [proofs.luck_of(each).rules(1).named("die").below(1000) for each in (match, lone)])
        told.do(
            "of windows",
            lambda: [proofs.luck_of_window_durations(each).window("a", 0).below(1000) for each in (match, lone)],
        )
        told.do("typed", lambda: [proofs.seats_with_word(each) for each in (match, lone)])
        session.rollback()
    house.clock.forward(hours=1)
    told.do("the host ends one", lambda: cancellation.cancel_match_for_host(site, one))
    house.clock.forward(hours=1)
    for seat in (0, 1):
        told.do("somebody leaves the other", partial(presence.resign, site, house.claim("play", two, seat)))
    t = table(Match)
    with site.reading() as session:
        left = [*session.execute(select(t.c.id).where(t.c.deal_id == deal_id, t.c.status == "inviting")).scalars()]
    for match_id in left:
        told.do("another ends", partial(cancellation.cancel_match_for_host, site, match_id))
    see("who sees what then")
    late = new_deal(house)
    ended = begin_table(house, late, TABLES[0])
    cancellation.cancel_match_for_host(site, ended)
    house.clock.forward(hours=1)
    told.skip()
    told.do("one is closed when all of it is over", lambda: close_shared_deal(house, late))


def _what_is_seen(session: Any, match: Match, matches: list[Match]) -> Any:
    t = table(Match)
    unsealed = {*session.execute(select(t.c.id).where(deals.condition_of_unsealed())).scalars()}
    among = deals.ids_of_sealed_matches(session, matches)
    sealed = match.deal_id is not None and deals.is_deal_sealed(session, match.deal_id)
    return {
        "sealed": sealed, "among": match.id in among, "open": deals.has_no_secrets_left(session, match),
        "unsealed": match.id in unsealed, "none": len(deals.ids_of_sealed_matches(session, [])),
    }  # fmt: skip


def _table(house: House, deal_id: str, word: str | None = None) -> Any:
    """Sets a table up that has not begun; returns the word that it proposes for its second seat."""
    with house.site.writing() as work:
        deal = work.get_one(DealRow, deal_id)
        places = [
            seating.Place("accepted", "Alice", 1),
            seating.place_of_bot_or_open_seat(OpenSeat()),
            seating.Place("accepted", bot="random"),
        ]
        terms = Terms(deal.game, deal.options, 3600, 60, True, 1)
        match = seating.set_up_match(house.site, work, terms, places, word, deal=deal)
        seating.invite_others_and_start_if_full(table_of(work, match))
        match_id = match.id
    return lucky_words.read_proposed_word(house.site, OpeningClaim(match_id, 1, 1)) or "none"


def _wrong(house: House, deal_id: str, title: str, game: str) -> str:
    options, seats = ("{}", 4) if title == "other seats" else ('{"x":1}', 3) if title == "other options" else ("{}", 3)
    with house.site.writing() as work:
        try:
            deals.count_table_of_deal(work, work.get_one(DealRow, deal_id), game, options, seats)
        except ValueError as error:
            return str(error).replace(deal_id, "…")
    return "given"
