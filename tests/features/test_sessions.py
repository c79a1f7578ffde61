"""Each expression of a session about a feature gives the answer that is stored below it."""

import pytest

from tests.kit.sessions.session import KIT, answer_again, files_of_sessions


@pytest.mark.parametrize("name", [name for name, path in files_of_sessions().items() if path.parent != KIT])
def test_each_documented_session_of_a_feature_prints_its_stored_output(name: str) -> None:
    text = files_of_sessions()[name].read_text("utf-8")
    assert answer_again(text).splitlines() == text.splitlines()
