"""A letter of every kind from one match of Hogen: Alice starts it, Bob, Carol and Dave are invited. The match is real,
played in memory by the moves below; the letters describe it as the service does."""

from __future__ import annotations

import hashlib
import importlib
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from functools import cache
from types import ModuleType
from typing import Any

from pbem import discovery
from pbem.games import find_game, hogen
from pbem.games.hogen.facts import Dealt
from pbem.kit.assemble import AssembledGame
from pbem.kit.chance import ScriptedChance
from pbem.kit.logs.chain import commit, hash_word, word_from_seed
from pbem.kit.play import Table
from pbem.kit.replay import By, fold_for_viewer, redact_entries
from pbem.kit.texts import Lang
from pbem.mail.letters import Away, Board, Letter, MatchLink, OrderNews, Said, Sender, Standing, Start, board_of
from pbem.render.i18n import bot_title
from pbem.services.mail.kinds.absent import Absent
from pbem.services.mail.kinds.cancelled import Cancelled
from pbem.services.mail.kinds.confirm import Confirm
from pbem.services.mail.kinds.declined import Declined
from pbem.services.mail.kinds.digest import Digest, EndLine, TurnLine
from pbem.services.mail.kinds.displaced import Displaced
from pbem.services.mail.kinds.invitation import Invitation
from pbem.services.mail.kinds.links import MyLinks
from pbem.services.mail.kinds.over import MatchOver
from pbem.services.mail.kinds.paused import Paused
from pbem.services.mail.kinds.readdress import Readdress
from pbem.services.mail.kinds.readdressed import Readdressed
from pbem.services.mail.kinds.reminder import Reminder
from pbem.services.mail.kinds.started import Started
from pbem.services.mail.kinds.substitute import Substitute
from pbem.services.mail.kinds.takeback import TakeBack
from pbem.services.mail.kinds.turn import Answer, Answers, YourTurn, answers_for_mail
from pbem.services.mail.kinds.undone import TakenBack
from pbem.services.mail.kinds.vote import Vote
from pbem.services.views.match_views import OpenAsk, Sheet, SheetSeat, WholeView
from tests.table import FOUR

SECRET = "a secret of the tests, long enough for one"
SENDER = Sender(name="pbem", address="play@pbem.example", url="https://pbem.example")
AT = datetime(2026, 3, 12, 12, 4, tzinfo=UTC)
DEADLINE = datetime(2026, 3, 14, 17, 30, tzinfo=UTC)
NEVER = "https://pbem.example/never/n0"
REPLY_GUIDE = "https://pbem.example/help/mail"
REPLY_TO = f"play+q{'a' * 39}@pbem.example"
TOKEN = "x" * 90
"""As long as a real token, so that folding is put to the test."""

SEED = bytes.fromhex("dcf00f2aeeea6f9be68bf64f1a818a1daa75ee2c3c5d0605e72b203626d6f9d6")
DEALT = Dealt(
    ("M3", "B2", "F1", "T4"), (("M1", "B1", "F2"), ("B3", "M2", "F3"), ("T2", "B4", "F4"), ("M4", "T3", "T1"))
)
"""What is dealt in the match of the letters, and Bob begins: the moves below were written for this."""
MOVES = (
    (1, "ally M2"),
    (0, "ally M1"),
    (2, "ally T2"),
    (3, "ally T3"),
    (1, "call F"),
    (2, "give F4 take M3"),
    (2, "call T1"),
    (3, "give T1 take F4"),
    (3, "call 1"),
    (0, "give B1 take F1"),
    (0, "call M3"),
)
"""The moves of the seats that are asked, until Carol has to answer for the second time."""


GAME = hogen.GAME
ALICE, BOB, CAROL = 0, 1, 2
WORD = "abricot"
"""Carol's lucky word; the others have typed none."""
WORDS = tuple(hash_word(WORD if seat == CAROL else word_from_seed(SEED, seat)) for seat in range(len(FOUR)))
COMMITMENT = commit("m0", SEED, WORDS[ALICE])
HEAD = hashlib.sha256(b"the head of the match").hexdigest()
OTHER = commit("m7", bytes(32), hash_word(word_from_seed(bytes(32), 0)))
"""The commitment of another match."""


ORDERS = OrderNews(
    answered=("{2} calls for rank 1.", "{2} gives {F4} and takes {M3}."), count=8,
    left=("Your turn to answer: Your order could not be followed. {F4} for {B2}: {F4} is not in your hand.",),
    going=("Answers “Your turn to answer” with: {F4} for {M3}; else you choose. Until you stop it.",),
    stop_url=f"https://pbem.example/stop-orders/{TOKEN}", change_url="https://pbem.example/play/p0/orders", upto=17,
)  # fmt: skip
"""What Carol's orders have done, and what goes on."""


def first_sixteen_digits(commitment: str) -> str:
    """Returns the beginning of a commitment as the foot of a mail shows it."""
    return " ".join(commitment[at : at + 4] for at in range(0, 16, 4))


def fields_for_reader(row: int, who: str, lang: Lang) -> dict[str, Any]:
    """The fields that every letter to a player has."""
    return {
        "row": row, "to": f"{who.lower()}@players.example", "lang": lang, "zone": "Europe/Paris", "at": AT,
        "sender": SENDER, "never_url": NEVER,
    }  # fmt: skip


def fields_about_match(row: int, seat: int, lang: Lang) -> dict[str, Any]:
    """The fields that every letter about the match has, to the player at this seat."""
    return {
        **fields_for_reader(row, FOUR[seat], lang),
        "game": GAME,
        "match": "m0",
        "seat": seat,
        "names": FOUR,
        "commitment": COMMITMENT,
        "head": HEAD,
        "word": WORD if seat == CAROL else None,
    }


@cache
def carols_view() -> WholeView:
    """The match as Carol sees it when she has to answer."""

    def decide(state: Any, seat: int, move: Any, luck: Any) -> Any:
        return GAME.decide(state, seat, move, ScriptedChance(BOB))

    assert isinstance(GAME, AssembledGame)
    dealt = replace(GAME, setup=lambda seats, options, luck: [DEALT], decide=decide)
    table = Table(dealt, len(FOUR), GAME.meta.options(), SEED)
    for seat, text in MOVES:
        ask = next(ask for ask in GAME.pending(table.state) if ask.seat == seat)
        table.play(ask, GAME.parse(text), By(seat=seat))
    return view_of_asked(table, "m0", FOUR)


@cache
def other_view() -> WholeView:
    """A match of Niigata as Carol sees it when she has to place a tile: its answers are places of a map."""
    game = find_game("niigata")
    assert game is not None
    table = Table(game, 2, game.meta.options(), SEED)
    (ask,) = game.pending(table.state)
    table.play(ask, game.legal(table.state, ask.seat)[0], By(seat=ask.seat))
    seat = game.pending(table.state)[0].seat
    return view_of_asked(table, "m2", ("Carol", "Dave") if seat == 0 else ("Dave", "Carol"))


def view_of_asked(table: Table, match: str, names: tuple[str, ...]) -> WholeView:
    """The match as the seat sees it that has to answer; it is the only one."""
    (ask,) = table.game.pending(table.state)
    asked = OpenAsk(ask.seat, ask.key, ask.turn, ask.kind, ask.key, DEADLINE)
    sheet = Sheet(
        id=match, game=table.game, options=table.options, status="running", version=len(table.entries),
        seats=tuple(SheetSeat(i, name, "accepted", i == ask.seat) for i, name in enumerate(names)), asks=(asked,),
        outcome=None, cancelled=None, spectators=True, turn_s=86_400, window_s=3600, late="fallback", bank_s=None,
        increment_s=0, untimed=False, silent=True, takebacks="consent", takeback=None, deal=None, sealed=False,
        commitment=COMMITMENT,
        words=WORDS, typed=None, head=HEAD, created_at=AT, started_at=AT, ended_at=None,
    )  # fmt: skip
    entries = tuple(redact_entries(table.entries, ask.seat))
    return WholeView(sheet, ask.seat, entries, fold_for_viewer(table.game, table.entries, ask.seat), asked)


def board_of_carol(lang: Lang) -> Board:
    """Carol's view."""
    view = carols_view()
    return board_of(GAME, view.fold, CAROL, lang, view.scene(view.recap(lang)))


def your_turn(lang: Lang) -> YourTurn:
    """Carol has to answer a call."""
    view, play_url = carols_view(), f"https://pbem.example/play/{TOKEN}"
    ask = view.ask
    assert ask is not None
    return YourTurn(
        **fields_about_match(41, CAROL, lang),
        recap=tuple((number, line.text) for number, line in view.recap(lang)),
        moved=True,
        board=board_of_carol(lang),
        mute_url=f"https://pbem.example/mute/{TOKEN}",
        title=GAME.meta.asks[ask.kind].title[lang],
        reacts=False,
        answers=answers_for_mail(view, lang, play_url),
        deadline=DEADLINE,
        play_url=play_url,
        waiting=("Alice", "Bob", "Dave"),
        asked=(),
    )


def match_over(lang: Lang) -> MatchOver:
    """Alice has won."""
    return MatchOver(
        **fields_about_match(42, CAROL, lang),
        recap=(),
        moved=True,
        board=board_of_carol(lang),
        mute_url=f"https://pbem.example/mute/{TOKEN}",
        outcome=GAME.meta.endings["found"][lang],
        standings=(Standing(0, True, 1), Standing(1, False, 0), Standing(2, False, 3), Standing(3, False)),
        replay_url="https://pbem.example/replay/m0",
        play_url=f"https://pbem.example/play/{TOKEN}",
    )


START = Start(timedelta(days=3), timedelta(days=1), "https://pbem.example/rules/hogen")
SAID = (Said(1, "Bonjour !"), Said(0, "See https://evil.example/login, or write to a@evil.example"))


def started(lang: Lang) -> Started:
    """The match has begun; Alice and Bob are asked first."""
    return Started(
        **fields_about_match(48, CAROL, lang),
        recap=(),
        moved=False,
        board=board_of_carol(lang),
        mute_url=f"https://pbem.example/mute/{TOKEN}",
        start=START,
        play_url=f"https://pbem.example/play/{TOKEN}",
        asked=("Alice", "Bob"),
        bots=(3,),
    )


def reminder(lang: Lang) -> Reminder:
    """Carol has not answered yet."""
    return Reminder(**{**vars(your_turn(lang)), "row": 49, "at": DEADLINE - timedelta(hours=5, minutes=20)})


def digest(lang: Lang) -> Digest:
    """Carol's daily mail: she is asked in two matches, and one has ended."""
    turn = your_turn(lang)
    names, view, url = ("Carol", "Dave"), other_view(), "https://pbem.example/play/p2"
    game, seat, ask = view.game, view.viewer, view.ask
    assert seat is not None
    assert ask is not None
    return Digest(
        **fields_for_reader(50, "Carol", lang),
        turns=(
            TurnLine(
                game=GAME, names=FOUR, seat=CAROL, title=turn.title, deadline=DEADLINE, recap=turn.recap[-3:],
                moved=True,
                said=SAID, play_url=turn.play_url, commitment=COMMITMENT, head=HEAD, match="m0", board=turn.board,
                answers=turn.answers, orders=replace(ORDERS, left=()),
            ),
            TurnLine(
                game=game, names=view.sheet.names, seat=seat, title=game.meta.asks[ask.kind].title[lang], match="m2",
                deadline=DEADLINE + timedelta(days=1), recap=(), moved=False, said=(), play_url=url, commitment=OTHER,
                head=HEAD[::-1], board=board_of(game, view.fold, seat, lang, view.scene(view.recap(lang))),
                answers=answers_for_mail(view, lang, url),
            ),
        ),
        further=(MatchLink(GAME, ("Alice",), "https://pbem.example/play/p3", "your_turn"),),
        ended=(
            EndLine(
                game=GAME, names=names, seat=0, outcome=GAME.meta.endings["found"][lang],
                standings=(Standing(1, True, 3), Standing(0, False, 1)), replay_url="https://pbem.example/replay/m7",
                commitment=OTHER, head=HEAD[::-1], match="m7",
                orders=replace(ORDERS, answered=("{0} calls for rank 1.",), count=1, left=(), going=()),
            ),
        ),
        stop_url=f"https://pbem.example/digest/{TOKEN}",
    )  # fmt: skip


def confirm(lang: Lang) -> Confirm:
    """Alice is asked whether it was she who started the match."""
    return Confirm(
        **fields_for_reader(43, "Alice", lang),
        game=GAME,
        organiser="Alice",
        names=FOUR[1:],
        confirm_url="https://pbem.example/confirm/c0",
        until=DEADLINE,
        commitment=COMMITMENT,
    )


def invitation(lang: Lang) -> Invitation:
    """Alice invites Carol."""
    return Invitation(
        **fields_about_match(44, CAROL, lang),
        organiser="Alice",
        sitting=("Alice", "Bob", "Dave"),
        invitation_url="https://pbem.example/invitation/i0",
        until=DEADLINE,
        turn=timedelta(days=3),
        cover=GAME,
    )


def declined(lang: Lang) -> Declined:
    """Bob declined; Alice is told."""
    return Declined(
        **fields_about_match(45, ALICE, lang),
        who="Bob",
        match_url="https://pbem.example/play/p0",
    )


def displaced(lang: Lang) -> Displaced:
    """Charlie had not answered, and the seat went to Bob."""
    return Displaced(
        **fields_for_reader(46, "Charlie", lang),
        game=GAME,
        match="m0",
        seat=1,
        names=("Alice", "Bob", "Carol", "Dave"),
        commitment=COMMITMENT,
        organiser="Alice",
        called="Charlie",
    )


def cancelled(lang: Lang) -> Cancelled:
    """Alice withdrew the match; Carol is told."""
    return Cancelled(
        **fields_about_match(46, CAROL, lang),
        organiser="Alice",
        reason="withdrawn",
    )


def absent(lang: Lang) -> Absent:
    """Carol has missed two turns."""
    return Absent(
        **fields_about_match(59, CAROL, lang),
        misses=2,
        until=None,
        play_url="https://pbem.example/play/p2",
    )


def paused(lang: Lang) -> Paused:
    """Nobody is left at Carol's table."""
    return Paused(
        **fields_about_match(66, CAROL, lang),
        until=AT + timedelta(days=30),
        play_url="https://pbem.example/play/p2",
    )


def vote(lang: Lang) -> Vote:
    """Bob's time is up; Carol may let the clock move."""
    return Vote(
        **fields_about_match(62, CAROL, lang),
        late=1,
        cast=1,
        needed=2,
        play_url="https://pbem.example/play/p2",
    )


def takeback(lang: Lang) -> TakeBack:
    """Bob asks to take back a call; Carol and Alice must agree."""
    told = {"en": "{1} calls for a Taira.", "fr": "{1} appelle un Taira."}[lang]
    return TakeBack(
        **fields_about_match(71, CAROL, lang),
        asker=1,
        told=told,
        besides=("Alice",),
        play_url="https://pbem.example/play/p2",
    )


def undone(lang: Lang) -> TakenBack:
    """Bob has taken back the move after which Carol was asked."""
    return TakenBack(**fields_about_match(72, CAROL, lang), taker=1, play_url="https://pbem.example/play/p2")


def substitute(lang: Lang) -> Substitute:
    """Charlie has asked for Bob's seat."""
    return Substitute(
        **fields_for_reader(63, "Charlie", lang),
        game=GAME,
        match="m0",
        seat=1,
        names=("Alice", "Charlie", "Carol", "Dave"),
        commitment=COMMITMENT,
        head=HEAD,
        former="Bob",
        takeover_url="https://pbem.example/takeover/t0",
        turn=timedelta(days=3),
    )


def my_links(lang: Lang) -> MyLinks:
    """Bob asked for sign-in links."""
    return MyLinks(
        **fields_for_reader(47, "Bob", lang),
        account_url="https://pbem.example/account/a0",
        life=timedelta(minutes=30),
        matches=(
            MatchLink(GAME, ("Alice", "Carol"), "https://pbem.example/play/p1", "your_turn"),
            MatchLink(GAME, ("Dave",), "https://pbem.example/play/p2", "over"),
        ),
    )


LATER = AT + timedelta(minutes=9)


def readdress(lang: Lang) -> Readdress:
    """Bob wants to change address: the old mailbox is asked."""
    return Readdress(
        **fields_for_reader(67, "Bob", lang),
        side="old",
        wanted="robert@players.example",
        change_url=f"https://pbem.example/address/{TOKEN}",
        until=DEADLINE,
    )


def readdressed(lang: Lang) -> Readdressed:
    """Bob's address has changed."""
    return Readdressed(**{**vars(my_links(lang)), "row": 69, "at": AT + timedelta(minutes=8)})


def of_features() -> list[ModuleType]:
    """The modules `letters` beside the tests of our features that have some.

    `samples(lang)` returns one letter of each of its kinds, and those that read differently; `TREATED` is a part of
    that in test_kinds, `WITH_A_WAY` of that in test_compose.
    """
    found = discovery.packages_of_features()
    ours = [name for name, package in found.items() if package.startswith(discovery.OURS)]
    sent = [name for name in ours if discovery.module_of_feature(found[name], "letters") is not None]
    return [importlib.import_module(f"tests.features.{name}.letters") for name in sent]


def all_samples(lang: Lang) -> list[Letter]:
    """One letter of every kind, and those that read differently."""
    turn = your_turn(lang)
    whole = Answers("Divide", ((Answer("Divide my tiles", "Divide my tiles", turn.play_url),),))
    second = timedelta(seconds=1)
    return [
        turn,
        replace(turn, row=51, at=AT + second, recap=(), answers=whole, waiting=("Alice",), asked=("Bob", "Dave")),
        replace(
            turn,
            row=80,
            at=AT + 4 * second,
            waiting=("Alice",),
            reply_to=REPLY_TO,
            reply_guide_url=REPLY_GUIDE,
            unsubscribe_to=REPLY_TO,
            return_path=REPLY_TO,
        ),
        replace(turn, row=56, at=AT + 2 * second, moved=False, start=START, said=SAID, said_before=2),
        reminder(lang),
        started(lang),
        digest(lang),
        replace(digest(lang), row=57, at=AT + timedelta(days=1), turns=(), further=()),
        match_over(lang),
        replace(match_over(lang), row=58, match="m3", recap=turn.recap, said=SAID, at=AT + timedelta(minutes=3)),
        confirm(lang),
        replace(confirm(lang), row=147, names=("Bob",), free=2, at=AT + timedelta(minutes=11)),
        invitation(lang),
        replace(invitation(lang), row=146, match="m8", sitting=("Alice",), free=2, at=AT + timedelta(minutes=10)),
        declined(lang),
        replace(displaced(lang), row=145, at=AT + timedelta(minutes=8)),
        cancelled(lang),
        replace(cancelled(lang), row=53, match="m1", reason="lapsed", at=AT + timedelta(minutes=1)),
        replace(cancelled(lang), row=54, match="m2", reason="host", at=AT + timedelta(minutes=2)),
        replace(cancelled(lang), row=61, match="m4", reason="abandoned", at=AT + timedelta(minutes=4)),
        *(letter for module in of_features() for letter in module.samples(lang)),
        absent(lang),
        replace(
            absent(lang), row=83, match="m6", bot=bot_title(hogen.GAME, "greedy", lang), at=AT + timedelta(minutes=6)
        ),
        replace(absent(lang), row=60, match="m5", until=AT + timedelta(days=30), at=AT + timedelta(minutes=5)),
        paused(lang),
        vote(lang),
        takeback(lang),
        replace(takeback(lang), row=73, besides=(), at=AT + timedelta(minutes=1)),
        undone(lang),
        substitute(lang),
        replace(
            turn, row=64, at=AT + 3 * second, waiting=("Alice",), asked=("Bob",), away=(Away(1, date(2026, 3, 20)),)
        ),
        replace(started(lang), row=65, at=AT + timedelta(minutes=6), away=(Away(0, date(2026, 3, 20)),)),
        my_links(lang),
        replace(my_links(lang), row=55, matches=(), at=AT + timedelta(minutes=1)),
        replace(my_links(lang), row=99, matches=(), newcomer=True, at=AT + timedelta(minutes=2)),
        readdress(lang),
        replace(readdress(lang), row=70, side="new", first=True, to="nina@players.example", at=LATER),
        replace(readdress(lang), row=68, side="new", to="robert@players.example", at=AT + timedelta(minutes=7)),
        readdressed(lang),
    ]
