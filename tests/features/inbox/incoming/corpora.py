"""Where the mails stand that somebody has read."""

from collections.abc import Callable, Sequence
from functools import cache

from tests.features.inbox.incoming import corpus, generated, reported, specials
from tests.features.inbox.incoming.corpus import Case


@cache
def plain_ones() -> tuple[Case, ...]:
    return tuple(corpus.plain_answers())


@cache
def real_ones() -> tuple[Case, ...]:
    return (
        *plain_ones(), *specials.in_doubt(), *specials.with_commands(), *specials.oddly_quoted(),
        *specials.strange_mails(), *generated.misleading_replies(),
    )  # fmt: skip


@cache
def cases_generated() -> tuple[Case, ...]:
    return (*generated.plain_replies(), *generated.doubtful_replies())


CORPORA: dict[str, Callable[[], Sequence[Case]]] = {
    "corpus": real_ones, "generated": cases_generated, "reported": lambda: tuple(reported.reports())
}  # fmt: skip
