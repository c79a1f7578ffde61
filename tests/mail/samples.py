"""Every kind of letter of one match: Alice starts it, Bob, Carol and Dave are invited; Chloé sits for Carol in
French, to have an accent in every header. The game is a stand-in with Hogen's words, so that no rule is needed."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import cast

from pbem.mail.letters import (
    AnyLetter,
    Board,
    Cancelled,
    Choice,
    Confirm,
    Declined,
    Invitation,
    MatchLink,
    MatchOver,
    MyLinks,
    Sender,
    Standing,
    YourTurn,
)
from pbem.rules.contract import AnyGame, Lang, Mark, Text

SECRET = "a secret of the tests, long enough for one"
SENDER = Sender(name="pbem", address="play@pbem.example", url="https://pbem.example")
NAMES = ("Alice", "Bob", "Chloé", "Dave")
AT = datetime(2026, 3, 12, 12, 4, tzinfo=UTC)
DEADLINE = datetime(2026, 3, 14, 17, 30, tzinfo=UTC)
NEVER = "https://pbem.example/never/n0"
TOKEN = "x" * 90
"""As long as a real token, so that folding is put to the test."""

SVG = (
    '<svg viewBox="0 0 384 200" role="img" aria-label="Hogen" font-family="Literata">'
    '<rect class="sk" width="384" height="200"/><text class="n" x="20" y="40" font-size="15">{0}</text></svg>'
)
MARKS = {f"{clan}{rank}": Mark(f"mon-{clan.lower()}", "c5") for clan in "FMTB" for rank in range(1, 5)}
META = SimpleNamespace(
    slug="hogen",
    title=Text(fr="Hogen", en="Hogen"),
    blurb=Text(fr="Trouvez l’alliée de chacun.", en="Find everybody's ally."),
    marks=MARKS,
)
GAME = cast(AnyGame, SimpleNamespace(meta=META))

_RECAP = {
    "fr": (
        (1, "{3} répond à votre rang 3 : il pose {B3} et prend {T3}."),
        (2, "{3} appelle le rang 1 ; {0} pose {T1} et prend {B2}."),
        (3, "{0} appelle le rang 4. {1} passe."),
    ),
    "en": (
        (1, "{3} answers your rank 3: he gives {B3} and takes {T3}."),
        (2, "{3} calls rank 1; {0} gives {T1} and takes {B2}."),
        (3, "{0} calls rank 4. {1} passes."),
    ),
}
_BOARD = {
    "fr": ("Palais : {B4}, {T2}, {B3}, {T1}.", "Votre main : {F3}, {F4}.", "Connues : {3} {T3}, {0} {B2}."),
    "en": ("Palace: {B4}, {T2}, {B3}, {T1}.", "Your hand: {F3}, {F4}.", "Known: {3} {T3}, {0} {B2}."),
}
_GIVE = {"fr": "Vous donnez {{F4}} et prenez {{{0}}}.", "en": "You give {{F4}} and take {{{0}}}."}


def board(lang: Lang) -> Board:
    """What Chloé sees."""
    return Board(_BOARD[lang], SVG)


def your_turn(lang: Lang) -> YourTurn:
    """Chloé has to answer a call."""
    taken = ("B4", "T2", "B3", "T1")
    return YourTurn(
        row=41,
        to="carol@players.example",
        lang=lang,
        zone="Europe/Paris",
        at=AT,
        sender=SENDER,
        never_url=NEVER,
        game=GAME,
        match="m0",
        seat=2,
        names=NAMES,
        recap=_RECAP[lang],
        board=board(lang),
        mute_url=f"https://pbem.example/mute/{TOKEN}",
        key="t3.answer",
        title={"fr": "À vous de répondre", "en": "Your answer"}[lang],
        prompt={
            "fr": "{0} appelle le rang 4 : donnez une carte de ce rang et prenez-en une autre au palais.",
            "en": "{0} calls rank 4: give a card of that rank and take another one from the palace.",
        }[lang],
        choices=tuple(
            Choice(_GIVE[lang].format(c), f"F4-{c}", f"https://pbem.example/play/{TOKEN}?step=give-F4&step=take-{c}")
            for c in taken
        ),
        deadline=DEADLINE,
        play_url=f"https://pbem.example/play/{TOKEN}",
        waiting=("Alice", "Bob", "Dave"),
    )


def match_over(lang: Lang) -> MatchOver:
    """Alice has won."""
    return MatchOver(
        row=42,
        to="carol@players.example",
        lang=lang,
        zone="Europe/Paris",
        at=AT,
        sender=SENDER,
        never_url=NEVER,
        game=GAME,
        match="m0",
        seat=2,
        names=NAMES,
        recap=(),
        board=board(lang),
        mute_url=f"https://pbem.example/mute/{TOKEN}",
        outcome={"fr": "l’alliée de chacun est trouvée", "en": "everybody's ally is found"}[lang],
        standings=(Standing(0, True, 1), Standing(1, False, 0), Standing(2, False, 3), Standing(3, False)),
        replay_url="https://pbem.example/replay/m0",
    )


def confirm(lang: Lang) -> Confirm:
    """Alice is asked whether it is she who starts."""
    return Confirm(
        row=43,
        to="alice@players.example",
        lang=lang,
        zone="Europe/Paris",
        at=AT,
        sender=SENDER,
        never_url=NEVER,
        game=GAME,
        organiser="Alice",
        names=NAMES[1:],
        confirm_url="https://pbem.example/confirm/c0",
        until=DEADLINE,
    )


def invitation(lang: Lang) -> Invitation:
    """Alice invites Chloé."""
    return Invitation(
        row=44,
        to="carol@players.example",
        lang=lang,
        zone="Europe/Paris",
        at=AT,
        sender=SENDER,
        never_url=NEVER,
        game=GAME,
        match="m0",
        seat=2,
        names=NAMES,
        organiser="Alice",
        invitation_url="https://pbem.example/invitation/i0",
        until=DEADLINE,
        turn=timedelta(days=3),
    )


def declined(lang: Lang) -> Declined:
    """Bob declined; Alice is told."""
    return Declined(
        row=45,
        to="alice@players.example",
        lang=lang,
        zone="Europe/Paris",
        at=AT,
        sender=SENDER,
        never_url=NEVER,
        game=GAME,
        match="m0",
        seat=0,
        names=NAMES,
        who="Bob",
        match_url="https://pbem.example/play/p0",
    )


def cancelled(lang: Lang) -> Cancelled:
    """Alice withdrew the match; Chloé is told."""
    return Cancelled(
        row=46,
        to="carol@players.example",
        lang=lang,
        zone="Europe/Paris",
        at=AT,
        sender=SENDER,
        never_url=NEVER,
        game=GAME,
        match="m0",
        seat=2,
        names=NAMES,
        organiser="Alice",
        reason="withdrawn",
    )


def my_links(lang: Lang) -> MyLinks:
    """Bob asked for his links."""
    return MyLinks(
        row=47,
        to="bob@players.example",
        lang=lang,
        zone="Europe/Paris",
        at=AT,
        sender=SENDER,
        never_url=NEVER,
        account_url="https://pbem.example/account/a0",
        life=timedelta(minutes=30),
        matches=(
            MatchLink(GAME, ("Alice", "Chloé"), "https://pbem.example/play/p1", "your_turn"),
            MatchLink(GAME, ("Dave",), "https://pbem.example/play/p2", "over"),
        ),
    )


def every(lang: Lang) -> list[AnyLetter]:
    """One letter of every kind, and those that read differently."""
    turn = your_turn(lang)
    kinds = tuple(Choice(c.label, "", c.href) for c in turn.choices[:1])
    return [
        turn,
        replace(turn, row=51, key="t4.act0", recap=(), choices=kinds, waiting=("Alice",)),
        match_over(lang),
        confirm(lang),
        invitation(lang),
        replace(invitation(lang), row=52, reminder=True),
        declined(lang),
        cancelled(lang),
        replace(cancelled(lang), row=53, match="m1", reason="lapsed", at=AT + timedelta(minutes=1)),
        replace(cancelled(lang), row=54, match="m2", reason="host", at=AT + timedelta(minutes=2)),
        my_links(lang),
        replace(my_links(lang), row=55, matches=(), at=AT + timedelta(minutes=1)),
    ]
