"""The laws of reading, on replies of real shape: no move is wrong, and nearly every plain answer is understood."""

from collections import Counter
from collections.abc import Sequence
from functools import cache

import pytest

from pbem.features.inbox.incoming import commands, phrases
from pbem.features.inbox.incoming.commands import Reading, read_reply
from pbem.features.inbox.incoming.message import read_message
from tests.features.inbox.incoming import generated
from tests.features.inbox.incoming.corpora import CORPORA, cases_generated, plain_ones, real_ones
from tests.features.inbox.incoming.corpus import NAMES, Case, read_moves, reader_of_game
from tests.harness.cases import cases

ENOUGH = 0.95


@cache
def text_of(case: Case) -> str:
    message = read_message(case.raw, mail_from=None, recipients=(), own=lambda _: False)
    assert message.automatic is None
    return message.text


def read_case(case: Case) -> Reading:
    return read_reply(text_of(case), reader_of_game(case.game), NAMES)


def verdict_on_case(case: Case) -> str:
    """Returns "understood", "asked back", or "wrong" if something is done that nobody has asked for."""
    reading = read_case(case)
    if not reading.commands:
        return "asked back"
    same = read_moves(case.game, reading.commands) == read_moves(case.game, case.commands)
    return "understood" if same else "wrong"


def count_verdicts(cases: Sequence[Case]) -> tuple[Counter[str], Counter[str]]:
    """Returns the verdicts on plain answers, and on all others."""
    plain = Counter(verdict_on_case(case) for case in cases if case.plain)
    return plain, Counter(verdict_on_case(case) for case in cases if not case.plain)


@cases("case", real_ones)
def test_each_reply_of_the_corpus_is_read_as_its_label_says(case: Case) -> None:
    reading = read_case(case)
    assert read_moves(case.game, reading.commands) == read_moves(case.game, case.commands)
    assert reading.doubts[:1] == case.doubts


@cases("corpus", CORPORA)
def test_no_move_is_misread_and_nearly_all_plain_answers_are_understood(corpus: str) -> None:
    cases = CORPORA[corpus]()
    plain, others = count_verdicts(cases)
    for called, found in (("plain", plain), ("others", others)):
        print(f"{corpus:10} {called:8}", *(f"{word} {found[word]:4}" for word in ("understood", "asked back", "wrong")))  # noqa: T201
    assert plain["wrong"] == others["wrong"] == 0
    assert plain["understood"] >= ENOUGH * plain.total()


def test_the_generated_replies_are_of_enough_shapes_and_languages() -> None:
    assert len(generated.PROGRAMS) >= 40
    assert len(generated.LANGUAGES) >= 20
    assert len(cases_generated()) >= 300
    assert len(real_ones()) >= 80


def test_the_corpus_laws_fail_if_quotes_are_not_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(commands, "cut_quote", lambda text: text)
    plain = Counter(
        verdict_on_case(case) for case in plain_ones()[::5] if case.plain
    )  # what is quoted takes long to read
    assert plain["understood"] < ENOUGH * plain.total()


@pytest.mark.long
def test_the_corpus_laws_fail_if_retractions_are_ignored(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(phrases, "may_take_back", lambda plain: False)
    _, others = count_verdicts(real_ones())
    assert others["wrong"] > 0


@pytest.mark.long
def test_the_corpus_laws_fail_if_questions_are_ignored(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(phrases, "is_question", lambda plain: False)
    _, others = count_verdicts(real_ones())
    assert others["wrong"] > 0
