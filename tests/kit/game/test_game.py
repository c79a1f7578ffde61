"""What follows from what a game says once; and what it cannot say."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Literal, cast

import pytest
from msgspec import defstruct

from pbem.kit.chance import NO_LUCK, KeyLuck, ScriptedChance
from pbem.kit.choices import Choices, Lazy, kinds_of
from pbem.kit.contract import AnyGame, Ask, IllegalMove, Seat, Step, Unreadable
from pbem.kit.folds import fold_for_all, no_folds
from pbem.kit.game.facts import Counting, Event
from pbem.kit.game.moves import RESERVED, Move, Question, Reason
from pbem.kit.game.rules import Game
from pbem.kit.orders.shapes import Always
from pbem.kit.play import Table
from pbem.kit.replay import By, evolve_all
from pbem.kit.secrecy import Open, redact
from pbem.kit.takeback import Answered, kind_of_knowledge_told
from pbem.kit.texts import Lang
from pbem.kit.words import T, step
from pbem.testing.starter import pig
from pbem.testing.starter.pig import Dared, Held, Hold, Roll, Rolled
from tests.harness.cases import cases
from tests.kit.game import sealed
from tests.kit.game.sealed import Answered as Reply
from tests.kit.game.sealed import Believe, Choose, Claim, Claimed, Doubt, Doubted
from tests.kit.game.sealed import Rolled as Thrown

SLY = sealed.GAME


def state_after_setup(game: AnyGame, seats: int = 2, *script: Any) -> Any:
    """Returns the state after the setup, with scripted luck."""
    return evolve_all(game, None, game.setup(seats, game.meta.options(), ScriptedChance(*script)))


def state_after_move(game: AnyGame, state: Any, seat: int, move: Move, *script: Any) -> Any:
    """Returns the state after a move, with scripted luck."""
    return evolve_all(game, state, game.decide(state, seat, move, ScriptedChance(*script)))


# --- a move makes one fact, all else is forced ---------------------------------------------------------------


def test_forced_events_follow_the_event_of_a_move() -> None:
    assert pig.GAME.decide(state_after_setup(pig.GAME), 0, Roll(), ScriptedChance(5)) == [Dared(0), Rolled(0, 5)]


def test_forced_events_at_the_beginning_are_part_of_the_setup() -> None:
    assert [type(event) for event in SLY.setup(2, None, ScriptedChance(3, 4))] == [sealed.Began, Thrown, Thrown]


def test_a_preview_ends_before_the_first_drawn_event() -> None:
    state = state_after_move(pig.GAME, state_after_setup(pig.GAME), 0, Roll(), 5)
    assert pig.GAME.preview(state, 0, Roll()) == [Dared(0)]
    assert pig.GAME.preview(state, 0, Hold()) == [Held(0)]


def test_a_preview_ends_where_something_hidden_decides() -> None:
    state = state_after_move(SLY, state_after_setup(SLY, 2, 3, 4), 0, Claim(7))
    own = evolve_all(
        SLY, None, (redact(event, 1) for event in (sealed.Began(2), Thrown(0, 3), Thrown(1, 4), Claimed(0, 7)))
    )
    assert SLY.preview(own, 1, Doubt()) == [Reply(1, True)]
    assert SLY.preview(state, 1, Doubt())[1:2] == [Doubted(1, (3, 4), True)]


def test_supposable_lists_every_outcome_of_luck() -> None:
    rolling = pig.GAME.evolve(state_after_setup(pig.GAME), Dared(0))
    found = pig.GAME.supposable(rolling, 1, ())
    assert sorted(fact.face for fact in found or ()) == [1, 2, 3, 4, 5, 6]


def test_supposable_returns_forced_events_as_the_viewer_would_see_them() -> None:
    begun = SLY.evolve(None, sealed.Began(2))
    assert SLY.supposable(begun, 1, ()) == (Thrown(0, None),)
    assert len(SLY.supposable(begun, 0, ()) or ()) == 6


def test_supposable_derives_another_seats_events_from_its_legal_moves() -> None:
    asked = state_after_setup(SLY, 2, 3, 4)
    found = SLY.supposable(asked, 1, ())
    assert found == tuple(Claimed(0, said) for said in range(1, 13))
    assert SLY.supposable(asked, 0, ()) == ()


def test_an_event_with_too_many_outcomes_cannot_be_supposed() -> None:
    events = [
        sealed.Began(3),
        *(Thrown(seat, None) for seat in range(3)),
        Claimed(0, 9),
        Reply(1, None),
        Reply(2, None),
    ]
    assert SLY.supposable(evolve_all(SLY, None, events), 0, ()) is None


# --- refusals ------------------------------------------------------------------------------------------------


def test_the_first_reason_against_a_move_refuses_it() -> None:
    with pytest.raises(IllegalMove) as refused:
        pig.GAME.decide(state_after_setup(pig.GAME), 0, Hold(), NO_LUCK)
    assert refused.value.code == "nothing"
    assert pig.GAME.meta.refusals["nothing"].rule == "2"


def test_a_move_legal_in_one_position_is_refused_in_another() -> None:
    first = state_after_setup(pig.GAME)
    later = state_after_move(pig.GAME, first, 0, Roll(), 5)
    assert Hold() in pig.GAME.legal(later, 0)
    with pytest.raises(IllegalMove):
        pig.GAME.decide(first, 0, Hold(), NO_LUCK)
    assert [*pig.GAME.legal(first, 0)] == [Roll()]
    assert [*pig.GAME.legal(later, 1)] == []


def test_a_move_by_a_seat_not_asked_or_of_another_kind_is_refused() -> None:
    state = state_after_setup(SLY, 2, 3, 4)
    for seat, move, code in ((1, Claim(3), "not_asked"), (0, Doubt(), "wrong_kind")):
        with pytest.raises(IllegalMove) as refused:
            SLY.decide(state, seat, move, NO_LUCK)
        assert refused.value.code == code


def test_an_order_is_refused_only_for_a_reason_that_lasts() -> None:
    state = state_after_setup(SLY, 2, 3, 4)
    with pytest.raises(IllegalMove):
        SLY.check_order(Always(kind="choose", move=Choose(5)), state, 0)
    SLY.check_order(Always(kind="choose", move=Choose(1)), state, 0)
    SLY.check_order(Always(kind="claim", move=Claim(18)), state, 0)
    assert len(SLY.answers("choose", state, 0)) == 2


def test_what_a_move_told_is_judged_by_what_its_mover_knew() -> None:
    """`decide` is run on what the mover knew, so what was remembered of the true state must not answer for it."""
    table = Table(SLY, 3, None, bytes(32))
    folds = fold_for_all(SLY, no_folds(3), table.entries)
    made = SLY.decide(table.state, 0, Claim(9), NO_LUCK)
    assert kind_of_knowledge_told(SLY, folds, Answered(0, Claim(9), made)) == 0
    folds = folds.after(SLY, made, "k.claim")
    (first, last) = (Reply(1, False), Reply(2, True))
    folds = folds.after(SLY, [first], "k.answer")
    made = SLY.decide(folds.full, 2, Doubt(), NO_LUCK)
    assert made[0] == last
    assert isinstance(made[1], Doubted)
    assert kind_of_knowledge_told(SLY, folds, Answered(2, Doubt(), made)) == 2


# --- keys, draws, words --------------------------------------------------------------------------------------


def test_the_key_of_a_question_stays_while_others_answer() -> None:
    state = state_after_setup(SLY, 3, 3, 4, 5)
    asked = SLY.pending(state_after_move(SLY, state, 0, Claim(9)))
    assert [ask.seat for ask in asked] == [1, 2]
    later = SLY.pending(state_after_move(SLY, state_after_move(SLY, state, 0, Claim(9)), 2, Believe()))
    assert later == asked[:1]
    assert len({ask.key for ask in (*asked, *SLY.pending(state))}) == 3


def test_questions_of_one_turn_share_its_name_and_have_keys_of_their_own() -> None:
    state = state_after_setup(pig.GAME)
    asked: list[Ask] = []
    for face in (4, 5, 1, 3):
        asked += pig.GAME.pending(state)
        state = state_after_move(pig.GAME, state, asked[-1].seat, Roll(), face)
    asked += pig.GAME.pending(state_after_move(pig.GAME, state, 1, Hold()))
    assert [ask.turn for ask in asked] == ["a1", "a1", "a1", "b1", "a7"]
    assert [ask.key for ask in asked] == ["a1.roll", "a1.roll-2", "a1.roll-4", "b1.roll", "a7.roll"]


def test_an_event_may_end_a_turn_though_the_same_seat_goes_on() -> None:
    game = make_game(asks=asks, outcome=lambda self, s: None, events=(Told, Passed), moves=(Play, Pass))()
    turns, state = [], Counted()
    for fact in (Told(1), Told(1), Passed(1), Told(1)):
        state = game.evolve(state, fact)
        turns += [ask.turn for ask in game.pending(state)]
    assert turns == ["b1", "b1", "b4", "b4"]


def test_a_forced_event_does_not_interrupt_a_turn() -> None:
    game = make_game(asks=asks, outcome=lambda self, s: None, events=(Told, Numbered, Passed), moves=(Play, Pass))()
    for fact, turn in ((Numbered(0, 5), "b1"), (Told(0), "b2")):
        state = game.evolve(game.evolve(Counted(), Told(1)), fact)
        assert [ask.turn for ask in game.pending(state)] == [turn], fact


def test_an_answer_in_a_window_has_its_own_turn_number() -> None:
    state = state_after_move(SLY, state_after_setup(SLY, 2, 3, 4), 0, Claim(9))
    (answer,) = SLY.pending(state)
    (choose,) = SLY.pending(state_after_move(SLY, state, 1, Doubt()))
    assert (answer.seat, choose.seat) == (1, 0)
    (choose,) = SLY.pending(
        state_after_move(SLY, state_after_move(SLY, state_after_setup(SLY, 2, 3, 4), 0, Claim(3)), 1, Doubt())
    )
    assert (answer.seat, choose.seat) == (1, 1)
    assert answer.turn != choose.turn


def test_a_draws_name_has_its_kind_seat_and_count() -> None:
    table = Table(pig.GAME, 2, None, bytes(32))
    (ask,) = pig.GAME.pending(table.state)
    pig.GAME.decide(table.state, 0, Roll(), KeyLuck(bytes(32)).rules(1))
    table.play(ask, Roll(), By(seat=0))
    assert table.drawn == ["die:s0:2"]


def test_moves_are_offered_on_a_pad_by_their_names_and_steps() -> None:
    state = state_after_move(pig.GAME, state_after_setup(pig.GAME), 0, Roll(), 5)
    (ask,) = pig.GAME.pending(state)
    pad = pig.GAME.pad(ask, state, "en")
    assert [cell.text for row in pad.rows for cell in row] == ["Roll", "Hold"]
    assert [cell.steps[0].text for row in pad.rows for cell in row if cell.steps] == ["roll", "hold"]
    assert [one.move for one in pig.GAME.candidates(ask, state_after_setup(pig.GAME), "en")] == [Roll(), Hold()]


def test_an_events_story_line_has_placeholders_for_seats_and_pieces() -> None:
    assert SLY.tell(sealed.Chosen(0, 2), None, "en") == "{0} lets {2} begin."


def test_story_lines_and_prompts_may_use_fields_of_the_state() -> None:
    assert Told(0).tell(Counted(count=3), "en") == "{0} is told after 3."
    game = make_game(
        questions={"play": Question(T("À vous", "Your turn"), prompt=T("{s.count} faits.", "{s.count} facts."))}
    )()
    assert game.prompt(Ask(0, "k", "t", "play"), Counted(count=3), "fr") == "3 faits."


# --- what cannot be said -------------------------------------------------------------------------------------


class Counted(Counting, frozen=True):
    pass


class Told(Event, frozen=True):
    seat: Open[Seat]
    told = T("{seat} après {s.count}.", "{seat} is told after {s.count}.")

    def apply(self, s: Counted) -> Counted:
        return s


class Passed(Event, frozen=True):
    seat: Open[Seat]
    told, ends_turn = T("{seat} passe.", "{seat} passes."), True

    def apply(self, s: Counted) -> Counted:
        return s


class Numbered(Event, frozen=True):
    seat: Open[Seat]
    number: Open[int]
    told = T("{seat} dit {number}.", "{seat} says {number}.")

    def apply(self, s: Counted) -> Counted:
        return s


class Silent(Event, frozen=True):
    cards: tuple[int, ...] = ()


class Labelled(Move, frozen=True):
    label: str = ""  # type: ignore[assignment,misc]  # the fault
    asked, makes, typed, does = "play", Told, "play {label}", T("Jouer", "Play")


class Play(Move, frozen=True):
    asked, makes, typed, does = "play", Told, "play", T("Jouer", "Play")
    label = T("Vous jouez.", "You play.")


class Pass(Move, frozen=True):
    asked, makes, typed, does = "play", Passed, "pass", T("Passer", "Pass")
    label = T("Vous jouez.", "You play.")


class Guess(Move, frozen=True):
    number: int
    asked, makes, typed, does = "play", Told, "guess {number}", T("Dire {number}", "Say {number}")
    label = T("Vous jouez.", "You play.")

    @classmethod
    def every(cls, s: Counted, seat: int) -> list[Move]:
        return [cls(number) for number in range(s.count)]

    def fact(self, s: Counted, seat: int) -> Event:
        return Numbered(seat, self.number)


class Declare(Move, frozen=True):
    asked, makes, typed, does = "play", Told, "declare", T("Déclarer", "Declare")
    label = T("Vous jouez.", "You play.")

    @classmethod
    def every(cls, s: Counted, seat: int) -> tuple[Move, ...]:
        return ()

    @classmethod
    def legal(cls, s: Counted, seat: int) -> tuple[Move, ...]:
        return (cls(),)


def make_game(**changes: Any) -> type[Game]:
    """Returns a game that says this, besides what it must."""
    said = {
        "slug": "toy", "seats": (2,), "title": T("Jouet", "Toy"), "state": Counted, "events": (Told,), "moves": (Play,),
        "questions": {"play": Question(T("À vous", "Your turn"), prompt=T("Jouez.", "Play."))},
    }  # fmt: skip
    return type("Toy", (Game,), said | changes)


def test_an_event_field_that_does_not_declare_who_sees_it_is_an_error() -> None:
    make_game()()
    with pytest.raises(TypeError, match=r"^Silent.cards: say who sees it: Open, Shown, Own, Each, Hidden or Fading$"):
        make_game(events=(Told, Silent))()


def test_a_moves_field_cannot_have_a_name_reserved_for_methods() -> None:
    with pytest.raises(TypeError, match=r"^Labelled.label: moves say something else by this name"):
        make_game(moves=(Labelled,))()
    assert {"asked", "makes", "typed", "does", "label", "steps", "why_not", "every", "legal", "fact"} <= RESERVED


class Kept(Event, frozen=True):
    seat: Open[Seat]

    def apply(self, s: Counted) -> Counted:
        return s


def move_class_lacking(without: str, **more: Any) -> type[Move]:
    """Returns a move `Lay` with a field `card` that says all but this, or says this otherwise."""
    said = {
        "asked": "play", "makes": Told, "typed": "lay {card}", "does": T("Poser", "Lay"), "label": T("Posé.", "Laid."),
    }  # fmt: skip
    del said[without]
    return cast(type[Move], defstruct("Lay", [("card", int)], bases=(Move,), namespace=said | more, frozen=True))


@cases(
    "moves, said",
    [
        ((move_class_lacking("label"),), "Lay has no label: say, for example, label = T("),
        ((move_class_lacking("does"),), "Lay has no does: say, for example, does = T("),
        ((move_class_lacking("makes"),), "Lay has no makes: say, for example, makes = "),
        ((move_class_lacking("typed"),), "Lay has no typed: say, for example, typed = "),
        ((move_class_lacking("typed", typed="lay"),), "Lay.typed says 'lay': name the field {card}, too"),
        ((move_class_lacking("typed", typed=("lay {card}", "l")),), "Lay.typed says 'l': name the field {card}, too"),
        (
            (move_class_lacking("typed", typed="{card} on {card}"),),
            "Lay.typed says '{card} on {card}': name {card} only once",
        ),
        (
            (move_class_lacking("typed", typed="{card} {of}"),),
            "Lay.typed says '{card} {of}', but Lay has no field 'of'",
        ),
        (
            (move_class_lacking("typed", typed="Lay {card}"),),
            "Lay.typed says 'Lay {card}': write 'Lay' in small letters",
        ),
        (
            (move_class_lacking("typed", typed="[là] {card}"),),
            "Lay.typed says '[là] {card}': write 'là' in small letters",
        ),
    ],
)
def test_a_move_class_missing_a_part_is_a_type_error_naming_it(moves: tuple[type[Move], ...], said: str) -> None:
    with pytest.raises(TypeError, match=f"^{re.escape(said)}"):
        make_game(moves=moves)()


def test_an_event_class_missing_its_told_text_is_a_type_error() -> None:
    with pytest.raises(TypeError, match=r"^Kept has no told: say told = T\("):
        make_game(events=(Told, Kept))()


def test_a_game_class_missing_a_part_is_a_type_error_naming_it() -> None:
    with pytest.raises(TypeError, match=r"^Toy has no questions$"):
        type("Toy", (Game,), {"slug": "toy", "seats": (2,)})()
    with pytest.raises(TypeError, match=r"^Toy has no blurb$"):
        make_game()().assemble()


class Colour(Move, frozen=True):
    card: Literal["red", "blue"]
    asked, makes, typed, does = "play", Told, "play {card}", T("Jouer", "Play")
    label = T("Vous jouez.", "You play.")


def test_the_kinds_of_a_game_define_how_its_words_are_typed() -> None:
    with pytest.raises(TypeError, match=r"^Colour.card is neither a number nor a seat: say in `kinds` of the game"):
        make_game(moves=(Colour,))()
    game = make_game(moves=(Colour,), kinds={"card": (" (red|blue)", str.strip)})()
    assert game.parse("play blue", 0) == Colour("blue")
    assert game.parse(game.format(Colour("red")), 0) == Colour("red")


TOO_LATE = Reason("3", T("C’est trop tard.", "It is too late."))


class Early(Move, frozen=True):
    asked, makes, typed, does = "play", Told, "early", T("Tôt", "Early")
    label = T("Vous jouez.", "You play.")
    never = Reason("4", T("Jamais.", "Never."))

    def why_not(self, s: Counted, seat: int) -> Iterator[IllegalMove]:
        yield TOO_LATE()


class Later(Early, frozen=True):
    typed = "later"


def test_several_moves_may_share_a_refusal_reason() -> None:
    more = {"blurb": T("Jouez.", "Play."), "endings": {}}
    reasons = make_game(moves=(Early, Later), **more)().assemble().meta.refusals
    assert {code: one.rule for code, one in reasons.items()} == {"never": "4", "too_late": "3"}
    assert next(iter(Later().why_not(Counted(), 0))).code == "too_late"


def test_two_refusal_reasons_of_one_name_are_a_type_error() -> None:
    class Last(Early, frozen=True):
        typed = "last"
        never = Reason("5", T("Jamais plus.", "Nevermore."))

    with pytest.raises(TypeError, match=r"\.never: another reason has this name; choose another, or use the same one$"):
        make_game(moves=(Early, Last))()


def test_a_refusal_reason_without_a_name_is_a_type_error() -> None:
    with pytest.raises(TypeError, match="a Reason of rule 6 has no name: make it an attribute of its move"):
        Reason("6", T("Non.", "No."))()


def test_a_window_makes_a_game_simultaneous() -> None:
    assert "simultaneous" in SLY.meta.traits
    assert "simultaneous" not in pig.GAME.meta.traits
    assert "simultaneous" not in sealed.Sealed.traits, "it follows"


def test_a_question_needs_a_move_and_a_move_a_question() -> None:
    more = {"more": Question(T("Encore ?", "More?"), prompt=T("Encore.", "More."))}
    with pytest.raises(TypeError, match="no move of toy answers 'more'"):
        make_game(questions={**make_game().questions, **more})()
    with pytest.raises(TypeError, match="Play answers 'play', which is no question of toy"):
        make_game(questions=more)()


class Stop(Move, frozen=True):
    makes, typed, does = Told, "stop", T("Arrêter", "Stop")
    label = T("Vous jouez.", "You play.")


class Number(Move, frozen=True):
    number: int

    asked, makes, typed, does = "play", Told, "play {number}", T("Jouer", "Play")
    label = T("Vous jouez.", "You play.")

    @classmethod
    def legal(cls, s: Counted, seat: int) -> Lazy[Number]:
        return Lazy(10**9, cls, lambda move: move.number < 10**9)

    def path(self, s: Counted, lang: Lang) -> tuple[Step, ...]:
        return (step("number", f"{self.number} / {s.count}", lang),) if self.number else ()


def test_a_question_may_name_the_moves_that_answer_it() -> None:
    questions = {
        kind: Question(T("À vous", "Your turn"), prompt=T("Jouez.", "Play."), moves=moves)
        for kind, moves in (("play", (Stop, Play)), ("more", (Stop,)))
    }
    game = make_game(moves=(Play, Stop), questions=questions)()
    assert game.kinds_of_answers == {"play": (Stop, Play), "more": (Stop,)}
    with pytest.raises(TypeError, match="Stop answers '', which is no question of toy"):
        make_game(moves=(Play, Stop))()


def test_legal_moves_too_many_to_list_can_be_counted_and_recognised() -> None:
    faces = {"asks": lambda self, s: [Ask(0, "t.play", "t", "play")], "outcome": lambda self, s: None}
    legal = make_game(moves=(Number,), **faces)().legal(Counted(), 0)
    assert isinstance(legal, Choices), "or else each would be made to tell of which kind it is"
    assert {kind: len(moves) for kind, moves in kinds_of(legal).items()} == {"Number": 10**9}
    assert (Number(7) in legal, Number(10**9) in legal, Play() in legal) == (True, False, False)


def test_legal_moves_without_a_why_not_are_listed_without_building_them() -> None:
    three = Lazy(3, Number, lambda move: True)

    class Free(Move, frozen=True):
        @classmethod
        def every(cls, s: object, seat: int) -> Lazy[Number]:
            return three

    assert Free.legal(None, 0) is three


def test_a_move_may_define_its_own_steps() -> None:
    game = make_game(moves=(Number,))()
    assert game.path(Number(7), Counted(count=2), "en") == (Step("number", "7 / 2"),)
    assert game.path(Number(0), Counted(), "en") == (Step("play-0", "Play"),)


def test_a_game_may_define_its_own_question_keys() -> None:
    def asks(self: Game, s: Counted) -> Iterator[Ask]:
        yield Ask(1, "t1.play", "t1", "play")

    game = make_game(asks=asks, outcome=lambda self, s: None)()
    assert game.pending(Counted()) == (Ask(1, "t1.play", "t1", "play"),)


def test_a_refusal_reason_has_its_code_and_fills_its_sentence() -> None:
    refusal = Claim.too_high(most=12)
    assert (refusal.code, refusal.facts) == ("too_high", {"most": 12})
    assert isinstance(Claim.too_high, Reason)


def asks(self: Game, s: Counted) -> Iterator[tuple[int, str]]:
    """Asks seat 1."""
    yield 1, "play"


def test_a_single_listed_event_is_not_certain_if_others_cannot_be_listed() -> None:
    sure = make_game(asks=asks, outcome=lambda self, s: None)()
    assert sure.supposable(Counted(), 0, ()) == (Told(1),)
    game = make_game(asks=asks, outcome=lambda self, s: None, moves=(Play, Declare))()
    assert game.supposable(Counted(), 0, ()) is None


def test_more_events_than_the_limit_are_not_supposed() -> None:
    game = make_game(asks=asks, outcome=lambda self, s: None, moves=(Guess,), events=(Told, Numbered))()
    assert [len(game.supposable(Counted(count=count), 0, ()) or ()) for count in (64, 65)] == [64, 0]
    assert game.supposable(Counted(count=65), 0, ()) is None


def test_a_game_may_clean_typed_text_before_parsing() -> None:
    game = make_game(plain=lambda self, text: text.replace("+1", "play"))()
    assert game.parse("+1") == Play()
    with pytest.raises(Unreadable) as unread:
        game.parse("+1 +1")
    assert unread.value.text == "+1 +1"
