"""Where a match was decided, in games of which one knows it: the decisive step, its size, and what a move cost."""

from collections.abc import Sequence
from functools import cache
from typing import Any, ClassVar, cast

import msgspec
import pytest

from pbem.features.analysis.course import (
    Advice,
    Moment,
    analyse_position,
    course_of_finished_match,
    most_playouts_per_position,
    turning_points,
)
from pbem.features.chances import BATCH, WELL, chances_by_playouts
from pbem.games import all_games, find_game
from pbem.kit.assemble import NoOrders
from pbem.kit.chance import Chance, Luck, SeedChance
from pbem.kit.contract import (
    AnyGame,
    Ask,
    AskKind,
    DrawKind,
    Event,
    IllegalMove,
    Meta,
    Move,
    Outcome,
    PlayerView,
    ask_of,
)
from pbem.kit.logs import logfile
from pbem.kit.logs.logfile import Log, Proof
from pbem.kit.play import Table
from pbem.kit.replay import AnyEntry, By, Entry, MatchEnded, Undone, fold_for_viewer
from pbem.kit.texts import Lang, Text
from tests.harness.cases import cases
from tests.kit.logs.repetition import among_bots
from tests.transcripts import folder_of_transcripts


def _text(words: str) -> Text:
    return Text(fr=words, en=words)


class Step(Move, frozen=True):
    """Go one step: a decision that changes nothing."""


class Spoil(Move, frozen=True):
    """Throw one's chances away."""


class Set(Event, frozen=True):
    """The race is set up."""


class Stepped(Event, frozen=True):
    """A seat has gone a step."""

    seat: int


class Spoilt(Event, frozen=True):
    """A seat can no longer win."""

    seat: int


class Drawn(Event, frozen=True):
    """A coin has said who wins."""

    winner: int


class Race(msgspec.Struct, frozen=True):
    """This many decisions are made; who has spoilt, and who has won."""

    made: int = 0
    spoilt: frozenset[int] = frozenset()
    winner: int | None = None


LENGTH = 8
STEP, SPOIL = Step(), Spoil()


class Coin(NoOrders):
    """Two seats in turn make eight steps; then a coin says who wins, unless exactly one of them has spoilt."""

    meta = Meta(
        slug="coin", title=_text("Coin"), blurb=_text("A toy."), seats=(2,), minutes=1, state=Race,
        moves=(Step, Spoil), events=(Set, Stepped, Spoilt, Drawn), asks={"go": AskKind(_text("Go"), (Step, Spoil))},
        endings={"drawn": _text("drawn")}, refusals={}, traits=frozenset(), bound=20, weights={"Step": 1, "Spoil": 0},
        draws={"coin": DrawKind(_text("a coin"), chooses_seat=True)},
    )  # fmt: skip
    bots: ClassVar[dict[str, Any]] = {}
    playout = estimate = end = card = None

    def imagine(self, view: PlayerView, seat: int, chance: Chance) -> Any:
        """Returns the fold: nothing is hidden."""
        return view.fold

    @staticmethod
    def playout_of(view: PlayerView, seat: int, chance: Chance) -> Move:
        """Returns a step, as everybody who wants to win would."""
        return STEP

    def setup(self, seats: int, options: Any, luck: Luck) -> Sequence[Event]:
        """Returns the beginning."""
        return [Set()]

    def decide(self, state: Race, seat: int, move: Move, luck: Luck) -> Sequence[Event]:
        """Returns the step, and the coin after the last one."""
        if ask_of(cast("AnyGame", self), state, seat) is None:
            raise IllegalMove("not_asked")
        event = Stepped(seat) if move == STEP else Spoilt(seat)
        if state.made + 1 < LENGTH:
            return [event]
        fair = sorted({0, 1} - self.evolve(state, event).spoilt) or [0, 1]
        return [event, Drawn(luck.named("coin").pick(fair))]

    def evolve(self, state: Race | None, event: Event) -> Race:
        """Returns the race after the event."""
        if state is None or isinstance(event, Set):
            return Race()
        if isinstance(event, Drawn):
            return msgspec.structs.replace(state, winner=event.winner)
        assert isinstance(event, Stepped | Spoilt)
        spoilt = state.spoilt | {event.seat} if isinstance(event, Spoilt) else state.spoilt
        return Race(state.made + 1, spoilt)

    def pending(self, state: Race) -> tuple[Ask, ...]:
        """Returns the question to the seat that is next."""
        if state.made == LENGTH:
            return ()
        turn = f"t{state.made}"
        return (Ask(state.made % 2, f"{turn}.go", turn, "go"),)

    def legal(self, state: Race, seat: int) -> Sequence[Move]:
        """Returns both moves; only a step on the last turn."""
        if ask_of(cast("AnyGame", self), state, seat) is None:
            return []
        return [STEP] if state.made + 1 == LENGTH else [STEP, SPOIL]

    def outcome(self, state: Race) -> Outcome | None:
        """Returns whom the coin chose."""
        return None if state.winner is None else Outcome("drawn", (state.winner,))

    def format(self, move: Move) -> str:
        """Returns the move in a word."""
        return "step" if move == STEP else "spoil"

    def name(self, move: Move, lang: Lang) -> str:
        """Returns the move in a word."""
        return self.format(move)


class Wise(Coin):
    """The same, where imagined matches are played by people who want to win."""

    playout: Any = staticmethod(Coin.playout_of)


class Blind(Wise):
    """The same without imagination."""

    imagine: Any = None


WISE, BLIND = cast("AnyGame", Wise()), cast("AnyGame", Blind())


def log_of(table: Table) -> Log:
    proof = Proof(table.deal, tuple(table.words), {}, (), (), "")
    return Log(table.game, table.options, table.seats, "all", table.commitment, table.seed, tuple(table.entries), proof)


def spoil_race(spoils: Sequence[int] = (), game: AnyGame = WISE, seed: int = 0) -> Table:
    """Returns a race in which these decisions, counted from 0, spoil it for the seat that makes them."""
    table = Table(game, 2, game.meta.options(), bytes([seed] * 32))
    for at in range(LENGTH):
        ask = game.pending(table.state)[0]
        table.play(ask, SPOIL if at in spoils else STEP, By(seat=ask.seat))
    return table


def moments_of(log: Log) -> list[Moment]:
    course = course_of_finished_match(log)
    return [analyse_position(course, at) for at in range(len(course.positions))]


@cache
def analysis_of_spoilt_race(game: AnyGame = WISE) -> list[Moment]:
    """Returns the analysis of a race that seat 1 spoils at its second turn."""
    return moments_of(log_of(spoil_race([3], game)))


def log_with_event(log: Log, event: Event) -> Log:
    last = log.entries[-1]
    entry: AnyEntry = Entry(last.n + 1, last.at, By(table=True), None, event)
    return msgspec.structs.replace(log, entries=(*log.entries, entry))


# --- chances and turning points --------------------------------------------------------------------------------


@pytest.mark.long
def test_the_decisive_step_is_found_with_its_seat_and_its_size() -> None:
    moments = analysis_of_spoilt_race()
    assert len(moments) == LENGTH + 1
    before, after = moments[3].chances, moments[4].chances
    assert before.worth == pytest.approx((0.5, 0.5), abs=4 * WELL)
    assert after.worth == (1.0, 0.0)
    found = turning_points(moments)
    assert [one.at for one in found] == [3], "who has spoilt cannot win, so no coin moves anything afterwards"
    assert abs(found[0].change) == pytest.approx(0.5, abs=4 * WELL)
    assert found[0].error <= 1.5 * WELL


@pytest.mark.long
def test_without_a_mistake_the_final_coin_toss_is_the_turning_point() -> None:
    moments = moments_of(log_of(spoil_race()))
    assert [one.at for one in turning_points(moments)] == [LENGTH - 1]
    last = moments[-1]
    assert sorted(last.chances.worth) == [0.0, 1.0]
    assert (last.chances.error, last.chances.playouts, last.seat) == ((0.0, 0.0), 0, None)


def test_chances_in_a_short_match_have_an_error_of_at_most_three_points() -> None:
    for one in analysis_of_spoilt_race()[:-1]:
        assert max(one.chances.error) <= WELL
        assert one.chances.playouts % BATCH == 0
        assert abs(sum(one.chances.worth) - 1) < 0.001


def test_a_certain_result_takes_one_batch_and_none_exceeds_its_playouts() -> None:
    start, luck = Race(2, frozenset({0})), SeedChance(bytes(32), 0, "bot", 0)
    assert chances_by_playouts(WISE, 2, lambda _: start, luck, 280).playouts == BATCH
    fair = chances_by_playouts(WISE, 2, lambda _: Race(), luck, 100)
    assert fair.playouts == 100
    assert fair.error[0] == pytest.approx(0.05, abs=0.005)


def test_at_most_three_turning_points_and_only_those_beyond_chance() -> None:
    def moment(worth: float) -> Moment:
        return Moment(1, msgspec.json.decode(b'{"worth":[%f],"error":[0.03],"playouts":280}' % worth, type=_Chances))

    shaken = [moment(worth) for worth in (0.5, 0.55, 0.2, 0.6, 0.4, 0.9, 0.95)]
    assert [(one.at, one.change) for one in turning_points(shaken)] == [(1, -0.35), (2, 0.4), (4, 0.5)]
    assert turning_points([moment(0.5), moment(0.6)]) == ()


_Chances: Any = Moment.__annotations__["chances"]


class Formula(Wise):
    """The same, where an estimate says that all chances are even, no matter who has spoilt."""

    estimate: Any = staticmethod(lambda state: (0.5, 0.5))


@pytest.mark.long
def test_estimates_are_taken_after_playing_on_a_few_decisions() -> None:
    """Two seats make two decisions before it is asked, so who spoils the last but one is known to have lost."""
    moments = moments_of(log_of(spoil_race([LENGTH - 2], cast("AnyGame", Formula()))))
    assert moments[LENGTH - 1].chances.worth == (0.0, 1.0)
    assert moments[0].chances.worth == (0.5, 0.5)


# --- what a move cost ------------------------------------------------------------------------------------------


def advice_of(moments: Sequence[Moment]) -> dict[int, Advice]:
    return {at: one.advice for at, one in enumerate(moments) if one.advice is not None}


def test_advice_finds_the_one_losing_move_and_its_cost_of_half_a_victory() -> None:
    found = advice_of(analysis_of_spoilt_race())
    wrong = found[3]
    assert (wrong.made.typed, wrong.better.typed) == ("spoil", "step")
    assert wrong.better.name == _text("step")
    assert wrong.cost == pytest.approx(0.5, abs=4 * WELL)
    assert 0 < wrong.error <= 2 * WELL
    assert all(one.cost <= 3 * one.error for at, one in found.items() if at != 3)


def test_a_forced_move_and_one_of_the_clock_get_no_advice() -> None:
    assert [*advice_of(analysis_of_spoilt_race())] == [*range(LENGTH - 1)], "there was one answer in the end"
    table = spoil_race([3])
    entries = [
        msgspec.structs.replace(one, by=By(clock=one.by.seat)) if one.key == "t2.go" else one for one in table.entries
    ]
    course = course_of_finished_match(msgspec.structs.replace(log_of(table), entries=tuple(entries)))
    assert analyse_position(course, 2).advice is None, "nobody chose it"


def test_a_game_without_imagination_has_only_chances_of_the_full_state() -> None:
    seen = analysis_of_spoilt_race(BLIND)
    assert {(one.eyes, one.advice) for one in seen} == {(None, None)}
    assert [one.at for one in turning_points(seen)] == [3]


def test_chances_through_a_seats_own_eyes_use_what_it_has_seen() -> None:
    seen = analysis_of_spoilt_race()
    assert seen[5].eyes is not None
    assert seen[5].eyes.worth == (1.0, 0.0)
    assert seen[-1].eyes is None


# --- repeating, taking back, ends of the table -----------------------------------------------------------------


@pytest.mark.long
def test_the_same_log_gives_the_same_analysis_and_another_log_another() -> None:
    course, other = course_of_finished_match(log_of(spoil_race([3]))), course_of_finished_match(log_of(spoil_race([2])))
    for at in (5, 2, 3):
        assert msgspec.json.encode(analyse_position(course, at)) == msgspec.json.encode(
            analysis_of_spoilt_race()[at]
        ), "each by itself"
    assert analyse_position(other, 0).chances != analysis_of_spoilt_race()[0].chances


def test_an_analysis_leaves_out_moves_that_were_taken_back() -> None:
    table = spoil_race([3])
    straight = course_of_finished_match(log_of(table))
    taken = table.entries[:4]
    undone: AnyEntry = Entry(5, taken[-1].at, By(table=True), None, Undone(3))
    again = [
        msgspec.structs.replace(one, n=one.n + 2, key=f"{one.key}~1") for one in table.entries[3:]
    ]  # fmt: skip
    log = msgspec.structs.replace(log_of(table), entries=(*taken, undone, *again))
    course = course_of_finished_match(log)
    assert [one.state for one in course.positions[:-1]] == [one.state for one in straight.positions[:-1]]
    assert course.positions[3].entry == 6
    for at in (2, 3):
        later, first = analyse_position(course, at), analyse_position(straight, at)
        assert (later.chances, later.eyes, later.advice) == (first.chances, first.eyes, first.advice)
    assert course.luck.bot(0, "x", 0).below(1 << 32) == straight.luck.bot(0, "x", 0).below(1 << 32)


@pytest.mark.long
def test_an_analysis_of_a_match_ended_by_resignations_stops_there() -> None:
    whole = log_of(spoil_race([3]))
    log = log_with_event(msgspec.structs.replace(whole, entries=whole.entries[:5]), MatchEnded("last_seat", (0,)))
    seen = moments_of(log)
    assert [one.entry for one in seen] == [1, 2, 3, 4, 5]
    assert seen[-1].chances.worth == (1.0, 0.0)
    assert seen[-1].chances.playouts == BATCH, "it was not over by its rules"


def test_long_matches_get_fewer_playouts() -> None:
    assert most_playouts_per_position(10) == most_playouts_per_position(120) == 280
    assert 80 == most_playouts_per_position(1000) < most_playouts_per_position(200) < 280


# --- the games -------------------------------------------------------------------------------------------------


@pytest.mark.long
@cases("slug", all_games())
def test_the_analysis_recovers_every_decision_of_the_transcripts(slug: str) -> None:
    game = all_games()[slug]
    logs = {
        path.name: logfile.read(path.read_bytes(), find_game)
        for path in sorted(folder_of_transcripts(game).glob("*.json"))
    }
    known = [(name, log) for name, log in logs.items() if log.seed is not None and log.proof is not None]
    assert known
    for name, log in known[:3]:
        played = [one.played for one in course_of_finished_match(log).positions[:-1]]
        assert all(one is not None and one.move is not None for one in played), name
        for one in played:
            assert one is None or one.move in game.legal(one.view.fold, one.ask.seat), name


@pytest.mark.long
def test_answers_in_a_silent_window_show_what_their_seat_knew_at_its_start() -> None:
    """Later answers of a window stand behind others in the log, which their seats had not seen."""
    log = among_bots(all_games()["allegeance"], 4, 1)
    game, unseen = log.game, 0
    assert game.meta.hides_in_windows(log.options)
    opened: dict[tuple[str, int], Any] = {}
    for position in course_of_finished_match(log).positions[:-1]:
        for ask in game.pending(position.state):
            known = fold_for_viewer(game, log.entries[: position.entry], ask.seat)
            opened.setdefault((ask.key, ask.seat), known)
            if position.played is not None and position.played.ask == ask and game.meta.asks[ask.kind].window:
                assert position.played.view.fold == opened[ask.key, ask.seat]
                unseen += known != opened[ask.key, ask.seat]
    assert unseen > 10
