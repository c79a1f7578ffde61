"""Each expression of a session about the laboratory gives the answer that is stored below it."""

from pathlib import Path

import pytest

from tests.kit.sessions.session import answered, sessions

FOLDER = Path(__file__).with_name("sessions")


@pytest.mark.parametrize("name", [name for name, path in sessions().items() if path.parent == FOLDER])
def test_a_session_of_the_laboratory_gives_the_answers_that_are_stored(name: str) -> None:
    text = sessions()[name].read_text("utf-8")
    assert answered(text).splitlines() == text.splitlines()
