"""What an order says that it will do."""

from pbem.kit.orders.shapes import Always, Line, Prefer
from pbem.kit.orders.typed import tell_facts, tell_order
from tests.kit.toys import ORDERING, Dealt, GaveUp, Glimpsed, Louder, Show


def test_an_orders_text_says_what_it_does_how_long_and_when_it_asks() -> None:
    always = Always(kind="show", move=Show(1), scope="match", ask_if=("begun",))
    assert tell_order(always, ORDERING, "en") == (
        "Answers “Your turn” with: show 1; else you choose. Until you stop it. Asks you if somebody has shown."
    )
    assert tell_order(Prefer(kind="show", moves=(Show(1), Show(2))), ORDERING, "en") == (
        "Answers “Your turn” with the first of these that is allowed: show 1, show 2; else you choose. For this round."
    )
    assert tell_order(Louder(tone=2), ORDERING, "en") == "Shows 2. For this round."


def test_a_planned_lines_text_uses_the_games_words_for_its_events() -> None:
    seen = ORDERING.evolve(None, Dealt((None, None)))
    facts = (Glimpsed(0, 5), Glimpsed(1, 7), GaveUp(1))
    line = Line(after=facts, kind="show", move=Show(1), scope="question", ask_if=("begun",))
    assert ORDERING.foretell(GaveUp(1), seen, "en") == "", "what the game does not tell is left out"
    assert tell_order(line, ORDERING, "en", seen) == (
        "If exactly this comes: {0} shows {N1}. {1} shows {N1}. Then answers “Your turn” with: show 1. "
        "For one question. Asks you if somebody has shown."
    )


def test_a_long_planned_lines_text_names_the_first_and_last_event() -> None:
    seen = ORDERING.evolve(None, Dealt((None, None)))
    facts = [Glimpsed(0, n) for n in range(1, 10)]
    told = tell_facts(facts, ORDERING, "en", seen).split(" … ")
    said = [ORDERING.foretell(fact, seen, "en") for fact in facts]
    assert told == [" ".join(said[:3]), " ".join(said[-3:])]


def test_without_the_position_a_planned_lines_text_counts_its_events() -> None:
    line = Line(after=(GaveUp(1),), kind="show", move=Show(1), scope="question")
    assert tell_order(line, ORDERING, "en").startswith("If exactly this comes: the fact foreseen. Then answers")
    two = Line(after=(GaveUp(1), GaveUp(1)), kind="show", move=Show(1), scope="question")
    assert "les 2 faits prévus. Répond alors à" in tell_order(two, ORDERING, "fr")


def test_the_french_texts_of_orders_follow_french_typography() -> None:
    assert tell_order(Always(kind="show", move=Show(1)), ORDERING, "fr") == (
        "À «\u00a0Your turn\u00a0», répond\u00a0: show 1\u00a0; sinon, c’est à vous de choisir. Pour cette manche."
    )
