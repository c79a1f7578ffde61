"""What may be typed for a question, in the answer to its mail."""

from __future__ import annotations

from pbem.features.inbox.answers import comparable_text, short_answers_of_view
from tests.services.chronicles.chronicle import Chronicle
from tests.table import House


def tell(house: House, told: Chronicle) -> None:
    told.do(
        "folded",
        lambda: [comparable_text(one) for one in (" Contester ! ", "Let  it\tpass.", "ÀÉß;", ":,", "a.b", "ﬁn")],
    )
    match_id = house.begin(3, "allegeance")
    seat = house.asks(match_id)[0].seat
    told.skip()
    view = house.view(match_id, seat)
    told.do("nobody's", lambda: short_answers_of_view(house.view(match_id, (seat + 1) % 3)))
    told.do("a spectator's", lambda: short_answers_of_view(house.view(match_id, None)))
    answers = short_answers_of_view(view)
    assert answers is not None
    texts: tuple[str, ...] = ("F1", "f1.", "announce F1", "M5", "Bob", "", "nonsense", "F1 F2")
    told.do("a card", lambda: {one: answers.move_named(one) for one in texts})
    after = answers.answers_after(view.legal()[0])
    told.do("what follows", lambda: None if after is None else (after.ask.key, after.seat, after.names))
    told.do("what follows no move", lambda: answers.answers_after("nothing"))  # type: ignore[arg-type]
    hogen = house.begin(3)
    for each in range(3):
        house.play(hogen, each)
    view = house.view(hogen, house.asks(hogen)[0].seat)
    told.skip()
    calls = short_answers_of_view(view)
    assert calls is not None
    texts = ("call F", "F", "f1", "Forest", "declare", "call", "Bob", "T 3", "1", " 4. ", "3", "b3")
    told.do("a call", lambda: {one: calls.move_named(one) for one in texts})
    following = [calls.answers_after(move) for move in view.legal()[:2]]
    told.do("what follows a call", lambda: [None if one is None else one.ask.key for one in following])
