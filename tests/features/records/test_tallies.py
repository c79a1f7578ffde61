"""What a player's matches add up to."""

from __future__ import annotations

from pbem.features.records.records import Played, Sat, Tally, Versus, results_against_friends, results_by_game
from pbem.kit.contract import Outcome

ME, BOB, CAROL = 1, 2, 3
TABLE = [Sat(0, ME, "Alice"), Sat(1, BOB, "Bob"), Sat(2, None, "Robo")]


def results_of(*outcomes: Outcome, game: str = "hogen", seat: int = 0) -> list[Played]:
    return [Played(f"{game}{n}", game, seat, outcome) for n, outcome in enumerate(outcomes)]


def seats_by_match(matches: list[Played], table: list[Sat] | None = None) -> dict[str, list[Sat]]:
    return {match.match_id: table or TABLE for match in matches}


def score_of(*scores: int) -> Outcome:
    best = max(scores)
    return Outcome("end", tuple(seat for seat, score in enumerate(scores) if score == best), scores)


def test_a_tally_counts_sole_and_shared_victories_and_places() -> None:
    matches = results_of(score_of(9, 5, 1), score_of(9, 9, 1), score_of(5, 9, 1), score_of(1, 9, 5), score_of(5, 9, 5))
    assert results_by_game(matches, seats_by_match(matches)) == {"hogen": Tally(5, 1, 1, {2: 2, 3: 1})}


def test_in_games_without_scores_a_tally_has_no_places_but_the_first() -> None:
    matches = results_of(Outcome("end", (0,)), Outcome("end", (1,)), Outcome("end", ()))
    assert results_by_game(matches, seats_by_match(matches)) == {"hogen": Tally(3, 1, 0, {})}
    (bob,) = results_against_friends(matches, seats_by_match(matches), ME)
    assert bob.games == {"hogen": Versus(ahead=1, level=1, behind=1)}


def test_a_record_lists_games_and_opponents_by_how_often_they_were_played() -> None:
    once, twice = results_of(score_of(1, 2, 3), game="hagakure"), results_of(score_of(1, 2, 3), score_of(3, 2, 1))
    with_carol = [Sat(0, ME, "Alice"), Sat(1, CAROL, "Carol"), Sat(2, BOB, "Bob")]
    seats = seats_by_match(once, with_carol) | seats_by_match(twice)
    assert list(results_by_game(once + twice, seats)) == ["hogen", "hagakure"]
    friends = results_against_friends(once + twice, seats, ME)
    assert [(friend.name, friend.results_in_all_games.matches) for friend in friends] == [("Bob", 3), ("Carol", 1)]
    assert friends[0].results_in_all_games == Versus(ahead=1, level=0, behind=2)
    assert friends[0].games == {"hagakure": Versus(behind=1), "hogen": Versus(ahead=1, behind=1)}


def test_a_records_friends_have_their_latest_names_without_bots_and_erased() -> None:
    matches = results_of(score_of(1, 2, 3), score_of(1, 2, 3))
    later = [Sat(0, ME, "Alice"), Sat(1, BOB, "Robert"), Sat(2, None, "(C)")]
    found = results_against_friends(matches, {"hogen0": TABLE, "hogen1": later}, ME)
    assert [friend.name for friend in found] == ["Robert"]
