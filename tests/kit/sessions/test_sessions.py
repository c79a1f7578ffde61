"""Each expression of a session gives the answer that is stored below it."""

import pytest

from tests.kit.sessions.session import KIT, answer_again, in_a_line, sessions
from tests.kit.toys import State


@pytest.mark.parametrize("name", [name for name, path in sessions().items() if path.parent == KIT])
def test_a_session_of_the_kit_gives_the_answers_that_are_stored(name: str) -> None:
    text = sessions()[name].read_text("utf-8")
    assert answer_again(text).splitlines() == text.splitlines()


def test_an_answer_is_whole_and_the_same_in_every_process() -> None:
    assert in_a_line({"b": (State((5, None)), 0.1 + 0.2), "a": {"x", "y", 3}}) == (
        "{'b': (State(numbers=(5, None), at=0, over=None, winner=None, seen=None), 0.3), 'a': {'x', 'y', 3}}"
    )
    assert answer_again("Words.\n\n>>> 1 +\\\n... 1\nwrong\n>>> [][1]\n\nMore.\n") == (
        "Words.\n\n>>> 1 +\\\n... 1\n2\n>>> [][1]\n!! IndexError\n\nMore.\n"
    )
