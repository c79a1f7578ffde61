"""A letter of each kind that circles send, and how each is treated on its way."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from pbem.features.circles.letters.circle import CircleInvitation
from pbem.features.circles.letters.circlenews import CircleNews
from pbem.features.circles.letters.occasion import Occasion
from pbem.features.circles.letters.toofew import TooFew
from pbem.kit.texts import Lang
from pbem.mail.letters import Letter
from tests.mail.samples import AT, DEADLINE, GAME, TOKEN, fields_for_reader

TREATED: dict[str, tuple[set[str], str | None, tuple[str, ...]]] = {
    "circle": ({"capped", "on_request"}, None, ()),
    "circlenews": (set(), "circle", ()),
    "occasion": (set(), "circle", ("yes",)),
    "toofew": (set(), "circle", ()),
}
WITH_A_WAY = (CircleInvitation, CircleNews, Occasion, TooFew)
MEMBER = f"https://pbem.example/circle/member/{TOKEN}"
LESS = f"{MEMBER}/mails"
"""Stops the mails of the circle."""


def circle_invitation(lang: Lang) -> CircleInvitation:
    """Alice invites Carol to a circle."""
    return CircleInvitation(
        **fields_for_reader(90, "Carol", lang), circle="Les Lacs", host="Alice", size=3, circle_url=MEMBER
    )


def circle_news(lang: Lang) -> CircleNews:
    """The page of Carol's circle was opened."""
    return CircleNews(
        **fields_for_reader(91, "Carol", lang), circle="Les Lacs", what="opened", listed=False, circle_url=MEMBER
    )


def occasion_letter(lang: Lang) -> Occasion:
    """Carol's circle meets on Saturday; Alice and Bob are in."""
    return Occasion(
        **fields_for_reader(92, "Carol", lang), circle="Les Lacs", game=GAME, starts_at=DEADLINE, yes=("Alice", "Bob"),
        circle_url=MEMBER, yes_url=f"{MEMBER}/occasion/7?say=yes", no_url=f"{MEMBER}/occasion/7?say=no",
    )  # fmt: skip


def too_few(lang: Lang) -> TooFew:
    """Only Carol had said yes."""
    return TooFew(
        **fields_for_reader(93, "Carol", lang), circle="Les Lacs", game=GAME, others=0,
        again_at=DEADLINE + timedelta(days=7),
        circle_url=MEMBER,
    )  # fmt: skip


def samples(lang: Lang) -> list[Letter]:
    """The mails of circles, and those that read differently."""
    minute = timedelta(minutes=1)
    news, ask, few = circle_news(lang), occasion_letter(lang), too_few(lang)
    return [
        circle_invitation(lang), replace(circle_invitation(lang), row=94, host=None, size=1, at=AT + minute),
        news, replace(news, row=95, what="founder", at=AT + minute),
        replace(news, row=96, listed=True, at=AT + 2 * minute),
        ask, replace(ask, row=97, yes=(), at=AT + minute),
        few, replace(few, row=98, others=4, again_at=None, at=AT + minute),
    ]  # fmt: skip
