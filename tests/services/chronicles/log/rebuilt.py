"""Open questions that are set right after a game was corrected."""

from __future__ import annotations

from typing import Any

from pbem.services.log import rebuilding
from tests.services.chronicles.cast import change_rows
from tests.services.chronicles.chronicle import Chronicle
from tests.table import House


def tell(house: House, told: Chronicle) -> None:
    told.part("differences")
    one, two, three = (house.begin(3) for _ in range(3))
    house.clock.forward(hours=1)
    told.skip()
    told.do("none", lambda: _differences(house))
    told.do("and nothing to mend", lambda: rebuilding.rebuild_asks(house.site, one))
    old = "UPDATE asks SET key = 'old.' || key, origin = 'old.' || origin WHERE match_id = :m AND seat"
    change_rows(house, told, f"{old} > 0", m=one)
    change_rows(house, told, f"{old} = 0", m=two)
    change_rows(
        house,
        told,
        "UPDATE asks SET closed_at = opened_at, closed_by = 'table' WHERE seat = 2 AND match_id = :m",
        m=two,
    )
    change_rows(
        house, told, "UPDATE matches SET status = 'paused', created_at = '2026-03-12 11:00:00' WHERE id = :m", m=two
    )
    change_rows(house, told, "UPDATE matches SET status = 'over' WHERE id = :m", m=three)
    change_rows(house, told, f"{old} = 0", m=three)
    told.do("some", lambda: _differences(house))
    for title, match_id in (("the first", one), ("one that is paused", two), ("one that is over", three)):
        told.do(title, lambda match_id=match_id: rebuilding.rebuild_asks(house.site, match_id))  # type: ignore[misc]
        told.do("twice", lambda match_id=match_id: rebuilding.rebuild_asks(house.site, match_id))  # type: ignore[misc]
    told.do("what is left", lambda: _differences(house))
    told.do("no such match", lambda: rebuilding.rebuild_asks(house.site, "ff"))

    told.part("an answer that sets right")
    match_id = house.begin(3)
    change_rows(house, told, f"{old} >= 0", m=match_id)
    told.do("the first seat's", lambda: house.play(match_id, 0).version)
    told.do("the second's", lambda: house.play(match_id, 1).version)

    told.part("one that is over by its state")
    ended = house.begin(3)
    house.play_out(ended)
    change_rows(
        house, told, "UPDATE matches SET status = 'running', ended_at = NULL, outcome = NULL WHERE id = :m", m=ended
    )
    change_rows(house, told, "DELETE FROM outbox WHERE match_id = :m AND kind = 'over'", m=ended)
    told.do("it differs", lambda: _differences(house))
    told.do("it ends", lambda: rebuilding.rebuild_asks(house.site, ended))

    told.part("chains")
    told.do("none is broken", lambda: _broken(house))
    change_rows(house, told, "UPDATE entries SET head = 'f' WHERE match_id = :m AND n = 2", m=match_id)
    change_rows(house, told, "UPDATE entries SET head = 'f' WHERE match_id = :m AND n = 1", m=two)
    change_rows(house, told, "UPDATE entries SET head = 'f' WHERE match_id = :m AND n = 1", m=three)
    told.do("two are", lambda: _broken(house))
    change_rows(house, told, "UPDATE matches SET game = 'go' WHERE id = :m", m=two)
    told.do("of a game that is here", lambda: _broken(house))


def _differences(house: House) -> Any:
    with house.site.reading() as session:
        return list(rebuilding.differences_of_open_asks(session))


def _broken(house: House) -> Any:
    with house.site.reading() as session:
        return list(rebuilding.matches_with_broken_chain(session))
