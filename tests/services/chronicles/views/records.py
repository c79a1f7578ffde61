"""What matches that are over add up to: their course, the players' records, and the luck."""

from __future__ import annotations

from typing import Any

from pbem.features.course import results
from pbem.features.records import records
from pbem.features.records.records import Played, Sat, results_against_friends, results_by_game
from pbem.kit.contract import Outcome
from pbem.kit.endings import ranks_of
from pbem.models.tables import Match
from pbem.services.views import luck, match_views
from pbem.services.views.luck import Evidence
from tests.features.course.scored import course_of_scores
from tests.services.chronicles.chronicle import Chronicle, value_in_a_line
from tests.services.letterbox import id_of
from tests.table import House


def tell(house: House, told: Chronicle) -> None:
    _tell_tallies(told)
    _tell_courses(told)
    over = house.begin(3)
    told.skip()
    house.drain()
    house.clock.forward(minutes=1)
    house.play_out(over)
    told.skip()
    _tell_records(house, told, over)
    _tell_luck(house, told, over)


def _score(*scores: int, winners: tuple[int, ...] | None = None) -> Outcome:
    best = max(scores)
    won = tuple(seat for seat, score in enumerate(scores) if score == best)
    return Outcome("end", won if winners is None else winners, scores)


def _tell_tallies(told: Chronicle) -> None:
    told.part("tallies")
    outcomes = {
        "first": _score(9, 5, 1), "shared": _score(9, 9, 1), "second": _score(5, 9, 5), "third": _score(1, 9, 5),
        "nobody": _score(3, 5, 5, winners=()), "won": Outcome("end", (0,)), "lost": Outcome("end", (2,)),
        "together": Outcome("end", (0, 2)), "none": Outcome("end", ()),
    }  # fmt: skip
    for name, outcome in outcomes.items():
        told.do(f"the places, {name}", lambda outcome=outcome: ranks_of(outcome, 3))  # type: ignore[misc]
    games = ["hogen", "niigata", "hogen", "hogen", "hagakure", "niigata", "hogen", "hogen", "hagakure"]
    played = [Played(name, game, 0, outcome) for (name, outcome), game in zip(outcomes.items(), games, strict=True)]
    table = [Sat(0, 1, "Alice"), Sat(1, 2, "Bob"), Sat(2, 3, "carol")]
    other = [Sat(0, 1, "Alice"), Sat(1, None, "(B)"), Sat(2, 3, "Carol")]
    tables = {one.match_id: other if one.game == "niigata" else table for one in played}
    told.do("by game", lambda: results_by_game(played, tables))
    friends = results_against_friends(played, tables, 1)
    told.do(
        "by friend",
        lambda: {
            one.name: [value_in_a_line(one.games), one.results_in_all_games, one.results_in_all_games.matches]
            for one in friends
        },
    )
    alike = [Sat(0, 1, "Alice"), Sat(1, 2, "bob"), Sat(2, 3, "Anna")]
    told.do(
        "those met as often", lambda: [one.name for one in results_against_friends(played[:1], {"first": alike}, 1)]
    )


def _tell_courses(told: Chronicle) -> None:
    told.part("courses")
    for title, scored in (
        ("by round", (("r1.t0.x", (1, 0)), ("r1.t1.x", (1, 2)), ("r2.t0.x", (1, 2)), ("r3.t0.x", (4, 2)))),
        ("of one round", (("r1.t0.x", (1, 0)), ("r1.t1.x", (1, 2)))),
        ("by move", (("t0.x", (0, 0)), ("t2.x", (3, 0)), ("t3.x", (3, 0)), ("t4.x", (3, 5)), ("t5.x", (3, 5)))),
        ("of one change", (("t0.x", (3, 0)), ("t1.x", (3, 0)))),
        ("swings", tuple((f"r{n}.t0.x", each) for n, each in enumerate(
            ((2, 0, 0), (2, 4, 0), (9, 4, 0), (9, 10, 0), (9, 10, 10), (9, 12, 12), (20, 12, 12)), 1))),
        ("long", tuple((f"r{n}.t0.x", (n, n // 2)) for n in range(1, 130))),
    ):  # fmt: skip
        told.do(title, lambda scored=scored: course_of_scores(*scored))  # type: ignore[misc]


def _tell_records(house: House, told: Chronicle, over: str) -> None:
    told.part("records")
    site, alice, bob = house.site, id_of(house, "Alice"), id_of(house, "Bob")
    told.do("how it went", lambda: results.read_result(site, house.view(over, 0), "en"))
    told.do("Alice's", lambda: records.read_own_record(site, alice))
    told.do("Bob's", lambda: records.read_own_record(site, bob))
    told.do("Alice has a page", lambda: records.publish_record(site, alice))
    told.do("and again", lambda: records.publish_record(site, alice))
    told.do("nobody has one", lambda: records.publish_record(site, 99))
    key = records.read_own_record(site, alice).key or ""
    told.do("whoever has its key", lambda: records.read_public_record(site, key))
    told.do("whoever has another", lambda: records.read_public_record(site, key[:-1] + "x"))
    told.do("no longer", lambda: records.unpublish_record(site, alice))
    told.do("and again", lambda: records.unpublish_record(site, alice))
    told.do("whoever had its key", lambda: records.read_public_record(site, key))
    for title, change in (
        ("is untimed", {"untimed": True}), ("runs", {"untimed": False, "status": "running"}),
        ("is of a game that is gone", {"status": "over", "game": "gone"}),
        ("never began", {"game": "hogen", "started_at": None}),
    ):  # fmt: skip
        _change(house, over, change)
        told.skip()
        found = records.read_own_record(site, alice)
        told.do(f"a match that {title}", lambda found=found: (found.matches, found.answers, found.games))  # type: ignore[misc]
    _change(house, over, {"started_at": house.clock.at})
    told.skip()


def _change(house: House, match_id: str, values: dict[str, Any]) -> None:
    with house.site.writing() as work:
        match = work.get_one(Match, match_id)
        for name, value in values.items():
            setattr(match, name, value)


def _tell_luck(house: House, told: Chronicle, over: str) -> None:
    told.part("luck")
    site = house.site
    sheet = match_views.read_sheet(site, over, 0)
    found = luck.read_verdict_and_fortunes(site, sheet, 0)
    told.do("whether it holds", lambda: (found.verdict.ok, len(found.drawn), len(found.heads), found.heads[-1]))
    told.do("read again", lambda: luck.read_verdict_and_fortunes(site, sheet, 1) is found)
    heads = luck.read_heads_of_chain(site, over)
    told.do("its heads", lambda: heads == found.heads)
    told.do("those of none", lambda: luck.read_heads_of_chain(site, "f" * 24))
    evidence = Evidence(sheet.commitment, sheet.words or (), lambda: heads)
    mark = match_views.read_sheet(site, over, 0).mark or ""
    for title, typed in (
        ("the commitment", sheet.commitment), ("its first digits", sheet.commitment[:16]),
        ("in two parts", f" {sheet.commitment[:8]} {sheet.commitment[8:16]} "), ("too few", sheet.commitment[:15]),
        ("another's", "0" * 64), ("other digits", "01234567"), ("the mark", mark), ("the head", heads[-1]),
        ("the first head", heads[0]), ("another head", "f" * 64), ("nothing", ""), ("what is none of them", "crane!?"),
    ):  # fmt: skip
        told.do(title, lambda typed=typed: luck.find_typed_proof_in_log(typed, evidence))  # type: ignore[misc]
