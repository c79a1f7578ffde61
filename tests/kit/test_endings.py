"""How a match ended: the table comes before the rules, and both have words in every game."""

from typing import get_args

from pbem.games import all_games
from pbem.games.hagakure import GAME as HAGAKURE
from pbem.games.hogen import GAME as HOGEN
from pbem.kit.contract import AnyGame, Outcome
from pbem.kit.endings import TABLE_ENDINGS, end_by_resignations, endings_of, outcome_of, places_of
from pbem.kit.play import Table, random_decisions
from pbem.kit.replay import AnyEntry, By, Cancelled, EndReason, Entry, MatchEnded, Resigned, TableEvent, fold_for_viewer
from pbem.kit.texts import LANGS
from tests.harness.cases import cases

ALICE, BOB, CAROL = range(3)


def play_log(game: AnyGame, decisions: int) -> list[AnyEntry]:
    """The log of a match of three after this many random decisions."""
    table = Table(game, 3, game.meta.options(), bytes(32))
    for _, _decision in zip(range(decisions), random_decisions(table), strict=False):
        pass
    return list(table.entries)


def log_with_facts(entries: list[AnyEntry], *events: TableEvent) -> list[AnyEntry]:
    """The log with these facts about the table after it."""
    first = entries[-1].n + 1
    return entries + [
        Entry(n, "2026-01-01T00:00:00Z", By(table=True), None, event) for n, event in enumerate(events, first)
    ]


@cases(
    "left, bots, end",
    [
        ((ALICE, BOB), set(), None),
        ((ALICE, CAROL), {CAROL}, None),
        ((BOB,), set(), MatchEnded("last_seat", (BOB,))),
        ((BOB,), {BOB}, MatchEnded("last_seat", (BOB,))),
        ((BOB, CAROL), {BOB, CAROL}, MatchEnded("no_people", (BOB, CAROL))),
    ],
)
def test_a_match_goes_on_while_a_person_and_another_seat_are_left(
    left: tuple[int, ...], bots: set[int], end: MatchEnded | None
) -> None:
    assert end_by_resignations(left, bots) == end


def test_neither_an_unfinished_nor_a_called_off_match_has_an_outcome() -> None:
    log = log_with_facts(play_log(HAGAKURE, 12), Resigned(BOB))
    assert outcome_of(HAGAKURE, log) is None
    assert outcome_of(HAGAKURE, log_with_facts(log, Cancelled("host"))) is None


def test_an_end_by_resignations_wins_over_the_rules_with_current_scores() -> None:
    log = log_with_facts(play_log(HAGAKURE, 60), MatchEnded("last_seat", (CAROL,)))
    outcome = outcome_of(HAGAKURE, log)
    scores = HAGAKURE.scores(fold_for_viewer(HAGAKURE, log, None))
    assert scores is not None
    assert any(scores), "something was won by then"
    assert outcome == Outcome("last_seat", (CAROL,), scores)


def test_a_game_that_keeps_no_scores_ends_without_any() -> None:
    assert outcome_of(HOGEN, log_with_facts(play_log(HOGEN, 5), MatchEnded("no_people", (BOB, CAROL)))) == Outcome(
        "no_people", (BOB, CAROL)
    )


def test_without_an_end_by_resignations_the_rules_give_the_outcome() -> None:
    log = play_log(HAGAKURE, 10_000)
    outcome = outcome_of(HAGAKURE, log)
    assert outcome is not None
    assert outcome.reason in HAGAKURE.meta.endings


def test_every_end_by_the_table_has_words_and_no_game_uses_its_name() -> None:
    assert set(TABLE_ENDINGS) == set(get_args(EndReason))
    for game in all_games().values():
        assert not set(game.meta.endings) & set(TABLE_ENDINGS)
        assert set(endings_of(game)) == set(game.meta.endings) | set(TABLE_ENDINGS)
    for text in TABLE_ENDINGS.values():
        assert all(text[lang] for lang in LANGS)
        assert text["fr"] != text["en"]


# --- places --------------------------------------------------------------------------------------------------


def test_winners_share_the_first_place_and_following_places_are_skipped() -> None:
    assert places_of(Outcome("shared", winners=(0, 2), scores=(9, 4, 9, 7)), 4) == (1, 4, 1, 3)


def test_the_loser_of_a_tie_break_is_placed_behind_the_winner() -> None:
    assert places_of(Outcome("won", winners=(1,), scores=(5, 5, 5)), 3) == (2, 1, 2)


def test_without_scores_all_losers_share_a_place() -> None:
    assert places_of(Outcome("won", winners=(2,)), 4) == (2, 2, 1, 2)


def test_without_a_winner_no_seat_has_the_first_place() -> None:
    assert places_of(Outcome("nobody"), 3) == (2, 2, 2)
    assert places_of(Outcome("nobody", scores=(1, 4, 4)), 3) == (4, 2, 2)


def test_resigned_seats_share_the_last_place_whatever_was_played_for_them() -> None:
    ended = Outcome("won", winners=(1,), scores=(8, 9, 2, 3))
    assert places_of(ended, 4, resigned=(0, 3)) == (3, 1, 2, 3)
    assert places_of(ended, 4, resigned=(1,)) == (2, 5, 4, 3), "nobody else has won either"


def test_the_last_seat_wins_over_all_who_resigned_even_with_fewer_points() -> None:
    assert places_of(Outcome("last_seat", winners=(2,), scores=(8, 9, 2)), 3, resigned=(0, 1)) == (2, 2, 1)
