"""What an order says that it will do."""

from pbem.kit.orders.shapes import Always, Line, Prefer
from pbem.kit.orders.telling import tell_order
from tests.kit.toys import ORDERING, GaveUp, Louder, Show


def test_an_order_says_what_it_does_for_how_long_and_when_it_asks() -> None:
    always = Always(kind="show", move=Show(1), scope="match", ask_if=("begun",))
    assert tell_order(always, ORDERING, "en") == (
        "Answers “Your turn” with: show 1; else you choose. Until you stop it. Asks you if somebody has shown."
    )
    assert tell_order(Prefer(kind="show", moves=(Show(1), Show(2))), ORDERING, "en") == (
        "Answers “Your turn” with the first of these that is allowed: show 1, show 2; else you choose. For this round."
    )
    assert tell_order(Louder(tone=2), ORDERING, "en") == "Shows 2. For this round."


def test_a_line_says_how_many_facts_it_waits_for() -> None:
    line = Line(after=(GaveUp(1),), kind="show", move=Show(1), scope="question")
    assert tell_order(line, ORDERING, "en").startswith("If the fact foreseen follows, answers")
    two = Line(after=(GaveUp(1), GaveUp(1)), kind="show", move=Show(1), scope="question")
    assert tell_order(two, ORDERING, "fr").startswith("Si les 2 faits prévus se suivent exactement, répond à")


def test_french_is_set_as_french() -> None:
    assert tell_order(Always(kind="show", move=Show(1)), ORDERING, "fr") == (
        "À «\u00a0Your turn\u00a0», répond\u00a0: show 1\u00a0; sinon, c’est à vous de choisir. Pour cette manche."
    )
