"""Each expression of a session about a feature gives the answer that is stored below it."""

import pytest

from tests.kit.sessions.session import KIT, answer_again, sessions


@pytest.mark.parametrize("name", [name for name, path in sessions().items() if path.parent != KIT])
def test_a_session_of_a_feature_gives_the_answers_that_are_stored(name: str) -> None:
    text = sessions()[name].read_text("utf-8")
    assert answer_again(text).splitlines() == text.splitlines()
