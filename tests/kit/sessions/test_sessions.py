"""Each expression of a session gives the answer that is stored below it."""

import pytest

from tests.kit.sessions.session import KIT, answer_again, files_of_sessions, in_a_line
from tests.kit.toys import State


@pytest.mark.parametrize("name", [name for name, path in files_of_sessions().items() if path.parent == KIT])
def test_each_documented_session_of_the_kit_prints_its_stored_output(name: str) -> None:
    text = files_of_sessions()[name].read_text("utf-8")
    assert answer_again(text).splitlines() == text.splitlines()


def test_session_output_is_complete_and_equal_in_every_process() -> None:
    assert in_a_line({"b": (State((5, None)), 0.1 + 0.2), "a": {"x", "y", 3}}) == (
        "{'b': (State(numbers=(5, None), at=0, over=None, winner=None, seen=None), 0.3), 'a': {'x', 'y', 3}}"
    )
    assert answer_again("Words.\n\n>>> 1 +\\\n... 1\nwrong\n>>> [][1]\n\nMore.\n") == (
        "Words.\n\n>>> 1 +\\\n... 1\n2\n>>> [][1]\n!! IndexError\n\nMore.\n"
    )
