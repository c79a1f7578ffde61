"""Answers asks, as their owners do: at once, sealed in a silent window, or several in one sitting.

    lock the match → a repeated answer to the same key returns the first receipt → decide → append → commit

A player who answers is present: a move ends the absence of its seat's owner and resumes a paused match.
The receipt shows the new entries as the mover may see them.

Questions of one sitting (`Meta.sittings`) may be answered at once: each part is a decision of its own, and the first
that has become impossible ends the sitting; those before it stand. With a move its owner can also save their orders.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Literal

import msgspec
from msgspec.structs import replace as struct_replace

from pbem.clock import iso_format
from pbem.errors import N_, Answered, Busy, Gone, Invalid, Problem, Stale, Unavailable
from pbem.errors import Unreadable as UnreadableProblem
from pbem.kit.chance import KeyLuck
from pbem.kit.codec import codec_for, encode
from pbem.kit.contract import AnyGame, Event, IllegalMove, Move, Unreadable
from pbem.kit.orders.following import next_kind_answered_by_move, standing_from_now_on
from pbem.kit.orders.shapes import Always, refusal_of_order
from pbem.kit.replay import By, first_entry_still_fresh, redact_entries
from pbem.kit.secrecy import redact
from pbem.kit.texts import LANGS
from pbem.models.tables import AskRow, SeatRow
from pbem.services.access import seat_links
from pbem.services.log import deals, kept, proofs, store, windows
from pbem.services.log.one_batch import OneBatch, Outrun
from pbem.services.log.proofs import Link, Stretch
from pbem.services.log.store import UNDONE
from pbem.services.log.table import LockedTable, lock_with_ask
from pbem.services.play import orders, presence
from pbem.services.play.decisions import apply_move_without_sealing, apply_or_seal_move, follow_new_orders
from pbem.services.play.order_checks import error_for_refused_move_or_order, read_and_check_orders
from pbem.services.site import Site
from pbem.services.statements import Written
from pbem.services.tokens import SeatClaim, unknown_link
from pbem.services.views import match_views
from pbem.services.views.match_views import OpenAsk, View

MAX_TEXT = 400
NOT_OPEN = N_("This question is no longer open.")

Said = str | Mapping[str, Any]
"""A move as the player enters it: text in the game's notation, or a JSON object."""


@dataclass(frozen=True)
class Part:
    """An answer to the next question of a sitting.

    `kind` is the kind of that question; None if it is to be the one that the answer fits.
    """

    said: Said
    kind: str | None = None


@dataclass(frozen=True)
class PartDone:
    """What has become of a part.

    played; sealed in a silent window; ordered, since its question is put only once others have answered; open, and
    `why` its question is left to be answered again. `key` is None if the question was not put.
    """

    key: str | None
    kind: str
    outcome: Literal["played", "sealed", "ordered", "open"]
    why: Problem | None = None


@dataclass(frozen=True)
class Receipt:
    """The result of an accepted move: the match's version after it, and the new entries as the mover may see them.

    The entries come with what proves them: seals, salts, and the heads of the chain before and after them. `parts`:
    the answers to the question and to those that followed it in one sitting, in the order in which they were sent.
    """

    game: str
    version: int
    told: Stretch
    repeated: bool
    """True if the same answer was given before; this is then its first receipt."""
    parts: tuple[PartDone, ...] = ()
    sealed: bool = False
    """True if it was sealed in a silent window: it has no entries, and its owner may change it until that closes."""
    held_until: datetime | None = None
    """Until when no mail about it goes out; None if mails are not held, or if it is repeated."""


def read_typed_move(game: AnyGame, text: str, seat: int) -> Move:
    """Returns the move that this seat has typed in the game's notation. Raises Unreadable with the game's hint."""
    if len(text) > MAX_TEXT:
        message = N_(
            "This is too long for a move: it has at most %(most)s characters. Write the move and nothing else."
        )
        raise UnreadableProblem(message, {"most": MAX_TEXT})
    try:
        move: Move = game.parse(text, seat)
    except Unreadable as error:
        hints = {lang: error.hint[lang] for lang in LANGS}
        raise UnreadableProblem(
            N_("“%(text)s” cannot be read as a move. %(hint)s"), {"text": text[:60], "hint": hints}
        ) from None
    return move


def read_move(game: AnyGame, said: Any, seat: int) -> Move:
    """Returns the move that this seat has entered, as text or as parsed JSON.

    Raises Unreadable; its `why` says where the JSON does not fit.
    """
    if isinstance(said, str):
        return read_typed_move(game, said, seat)
    try:
        return codec_for(game).move_of(said)
    except msgspec.ValidationError as error:
        message = N_(
            "This is not a move of the game. GET /api/v1/matches/<id>/ask lists the legal ones: send back the “move” "
            "or the “text” of one of them."
        )
        problem = UnreadableProblem(message, extra={"why": str(error)})
        meant = said.get("type") if isinstance(said, Mapping) else None
        problem.kind = next((kind.__name__ for kind in game.meta.moves if kind.__name__ == meant), None)
        raise problem from None


def play_answer(
    site: Site, claim: SeatClaim, key: str, said: Said, via: str, *, then: Sequence[Part] = (),
    ordered: Sequence[Any] | None = None, seen: int | None = None, instead: str | None = None,
) -> Receipt:  # fmt: skip
    """Plays the seat's answer to the ask with this key, and `then` what follows it in one sitting; idempotent per key.

    `ordered` replaces the seat's orders, as they are made after the move; None leaves them. `seen` is the version of
    what they looked at when they answered: what happened up to there counts as seen. `instead` is the sealed answer
    that this one is to replace, in the game's notation, "" if this is the first, and None to replace whatever was
    sealed: so a request that comes late does not undo what was answered since. `claim` is the play link, which is
    validated under the lock. Raises Unauthorized, NotFound, Unreadable, Invalid, Stale, Answered, Gone, Illegal, Busy;
    nothing has changed then.
    """
    at_hand = site.kept if not then and ordered is None else None
    if (
        at_hand is not None
        and (rows := kept.find_kept_match_with_ask(at_hand, claim.match_id, key, claim.seat)) is not None
    ):
        batch = OneBatch(site)
        try:
            with batch as work:
                table, ask = kept.table_and_ask_as_kept(work, rows, key, claim.seat)
                return play_answer_at_table(table, ask, claim, said, via, then, ordered, seen, instead)
        except Busy as busy:
            if not (isinstance(busy, Unavailable) and batch.may_have_sent):
                raise  # else a connection was lost: the question under the lock tells whether it is answered
        except (Outrun, Problem):
            pass  # what is kept may be out of date: only under the lock an answer is refused
    with site.writing() as work:
        table, ask = lock_with_ask(work, claim.match_id, key, claim.seat)
        return play_answer_at_table(table, ask, claim, said, via, then, ordered, seen, instead)


def play_answer_at_table(
    table: LockedTable, ask: AskRow | None, claim: SeatClaim, said: Said, via: str, then: Sequence[Part],
    ordered: Sequence[Any] | None = None, seen: int | None = None, instead: str | None = None,
) -> Receipt:  # fmt: skip
    """Does what `play_answer` does at this table, where the seat's ask that is answered is `ask`.

    The caller has the transaction, and rolls it back if this raises.
    """
    seat = table.seats[claim.seat]
    if claim.purpose != "play":
        raise unknown_link()
    if claim.epoch != seat.epoch:
        raise seat_links.error_for_ended_link(table.work, claim)
    game = table.game_with_marks()
    move = read_move(game, said, claim.seat)
    if ask is not None and ask.closed_at is not None:
        orders.check_orders_of_repeat_were_saved(table, ask, ordered)
        return _receipt_of_repeat(table, ask, [move, *(read_move(game, part.said, claim.seat) for part in then)])
    require_in_play(table.match.status)
    if ask is None:
        raise _stale_error_of_seat(table, claim.seat, NOT_OPEN)
    answers = [(ask.kind, move), *read_following_moves(game, ask.kind, then, claim.seat)]
    if (own := table.orders_of(ask.seat)) is not None:  # whether or not others have orders: time would tell
        orders.note_answer_by_hand(table, own, ask)
    # Without the version that they looked at, they have seen what led to the question.
    noted = presence.statements_to_mark_seen(seat, min(ask.opened_n if seen is None else seen, table.match.version))
    if ask.floor_at is not None:
        receipt = _seal_own_answer(table, ask, seat, answers, via, instead, noted)
    else:
        presence.reset_misses_and_end_absence(table, seat)
        if ask.vote_since is not None:
            presence.void_vote(table, ask)
        receipt = _play_answers_of_one_sitting(table, ask, answers, via, noted)
        if (rows := table.work.site.kept) is not None:
            kept.keep_after_commit(rows, table)
    if ordered is not None:
        orders.replace_orders_but_those_of_answer(
            table, ask, read_and_check_orders(game, table.fold_of_seat(claim.seat), claim.seat, ordered), via
        )
        follow_new_orders(table, claim.seat)
    return receipt


def read_following_moves(game: AnyGame, kind: str, then: Sequence[Part], seat: int) -> list[tuple[str, Move]]:
    """Returns the kinds and moves of what follows a question of this kind in one sitting.

    Raises Unreadable, and Invalid for a part that cannot be answered in the same sitting.
    """
    found: list[tuple[str, Move]] = []
    for part in then:
        move = read_move(game, part.said, seat)
        after = next_kind_answered_by_move(game, kind, move)
        if after is None or part.kind not in (None, after):
            raise Invalid(
                N_("“%(move)s” answers no question that can be answered together with “%(kind)s”."),
                {"move": game.format(move), "kind": kind},
            )
        kind = after
        found.append((kind, move))
    return found


def require_in_play(status: str) -> None:
    """Guarantees that a match of this status takes moves. Raises Gone."""
    if status in ("unconfirmed", "inviting"):
        raise Gone(N_("The match has not begun yet."), extra={"ask": None})
    if status not in ("running", "paused"):
        raise Gone(N_("The match is over; nothing can be played any more."), extra={"ask": None})


def _receipt_of_repeat(table: LockedTable, ask: AskRow, said: Sequence[Move]) -> Receipt:
    """Returns the first receipt if the seat itself gave this very answer. Raises Answered, Gone, Stale."""
    answer = encode(said[0]).decode()
    if ask.closed_by == "seat" and ask.answer == answer:
        assert ask.first_n is not None
        done = _questions_played_before(table, ask, said)
        last = done[-1].last_n
        assert last is not None
        match, game, entries = table.match, table.game, table.entries
        opened = deals.has_no_secrets_left(table.work, match)
        fresh = 1 if opened else first_entry_still_fresh(game, entries, ask.seat, game.pending(table.state))
        shown = redact_entries(entries, ask.seat, fresh, windows.keys_to_hide(table.work, match, game))
        told = proofs.read_stretch(table.work, match, shown, ask.first_n - 1, last)
        parts = tuple(PartDone(one.key, one.kind, "played") for one in done)
        return Receipt(table.match.game, last, told, repeated=True, parts=parts)
    undone = ask.closed_by == UNDONE
    own = not undone and ask.sealed_by is not None and windows.giver_of_sealed_answer(ask).seat is not None
    if ask.closed_by == "table" and own and ask.sealed == answer:
        return _receipt_of_seal(table, ask, repeated=True)
    if ask.closed_by == "seat" or own:
        message = N_("You have already answered this question with another move.")
        raise Answered(message, extra={"ask": _ask_in_json(table.ask_to(ask.seat))})
    require_in_play(table.match.status)
    why = {
        UNDONE: N_("This move was taken back, or what it answered was."),
        "clock": N_("The time for this question was up, and the clock moved for you."),
        "bot": N_("You were absent, and the bot that stands in for you has moved."),
    }
    raise _stale_error_of_seat(table, ask.seat, why.get(ask.closed_by or "", NOT_OPEN))


def _questions_played_before(table: LockedTable, ask: AskRow, said: Sequence[Move]) -> list[AskRow]:
    """Returns the questions of the sitting that began with `ask` to which the seat gave these answers."""
    done, asked = [ask], store.asks_of_seat(table.session, table.id, ask.seat) if said[1:] else ()
    for move in said[1:]:
        wanted = done[-1].last_n, encode(move).decode()
        found = next((one for one in asked if (one.opened_n, one.answer) == wanted), None)
        if found is None:
            break
        done.append(found)
    return done


def _stale_error_of_seat(table: LockedTable, seat: int, message: str) -> Stale:
    return stale_error(message, table.ask_to(seat))


def stale_error(message: str, ask: AskRow | OpenAsk | None) -> Stale:
    """Returns the error for an answer to an ask that is not open; it names the one that is."""
    return Stale(message, extra={"ask": _ask_in_json(ask)})


def _ask_in_json(ask: AskRow | OpenAsk | None) -> dict[str, Any] | None:
    """Returns the open ask as an error shows it in JSON, or None."""
    if ask is None:
        return None
    return {"key": ask.key, "kind": ask.kind, "seat": ask.seat, "deadline": ask.deadline and iso_format(ask.deadline)}


def _play_answers_of_one_sitting(
    table: LockedTable, ask: AskRow, said: Sequence[tuple[str, Move]], via: str, also: Sequence[Written]
) -> Receipt:
    """Plays the answers of one sitting, of which the first must be legal. Raises Illegal."""
    match, base, by = table.match, table.match.head, By(seat=ask.seat, via=via)
    links: list[Link] = []
    done: list[PartDone] = []
    for kind, move in said:
        open_now: AskRow | None = ask
        if done:  # the question of this kind that the last entry has put to the seat, if any
            open_now = table.ask_to(ask.seat)
            if open_now is not None and (open_now.opened_n, open_now.kind) != (match.version, kind):
                open_now = None
        why = done[-1].why if done else None
        if why is None and open_now is None:
            why = _stale_error_of_seat(table, ask.seat, N_("This question was not put after all."))
        if why is None and open_now is not None:
            if done and (own := table.orders_of(ask.seat)) is not None:
                orders.note_answer_by_hand(table, own, open_now)
            try:
                links += apply_move_without_sealing(table, open_now, move, by, "seat", () if done else also)
            except IllegalMove as refusal:
                why = error_for_refused_move_or_order(table.game, move, refusal)
                if not done:
                    raise why from None
        key = open_now.key if open_now is not None else None
        done.append(PartDone(key, kind, "played" if why is None else "open", why))
    last = links[-1]
    told = Stretch(base, last.head, proofs.links_for_viewer(links, ask.seat))
    held_until = table.now + table.hold if table.hold and not match.untimed else None
    return Receipt(match.game, last.entry.n, told, repeated=False, parts=tuple(done), held_until=held_until)


def _seal_own_answer(
    table: LockedTable,
    ask: AskRow,
    seat: SeatRow,
    said: Sequence[tuple[str, Move]],
    via: str,
    instead: str | None,
    also: Sequence[Written],
) -> Receipt:
    """Seals the seat's own answer, which does the same no matter who else has answered. Raises Illegal, Answered.

    What follows in the same sitting becomes an order, because its question is put only after the window.
    """
    (_, move), *following = said
    before = ask.sealed == encode(move).decode() and windows.giver_of_sealed_answer(ask).seat == ask.seat
    if instead is not None and not before and _has_answered_otherwise(table.game, ask, instead):
        message = N_("You have answered this question meanwhile. Look at that answer, and change it if you want to.")
        raise Answered(message, extra={"ask": _ask_in_json(ask)})
    for one in also:
        one.statement.flush_and_send(table.work, one.values)
    presence.end_absence_in_secret(table, seat)
    orders.end_window_orders_of_seat(table, ask.seat)
    then = tuple(_order_answer_to_following_question(table, ask, kind, move, via) for kind, move in following)
    if not before:
        try:
            apply_or_seal_move(table, ask, move, By(seat=ask.seat, via=via))
        except IllegalMove as refusal:
            raise error_for_refused_move_or_order(table.game, move, refusal) from None
    return replace(_receipt_of_seal(table, ask, repeated=before), parts=(_receipt_part_of_sealed_ask(ask), *then))


def _has_answered_otherwise(game: AnyGame, ask: AskRow, instead: str) -> bool:
    """True if the seat itself has sealed another answer; what the clock, a bot or an earlier game has gives way."""
    sealed = windows.answer_if_readable(game, ask.sealed) if ask.sealed is not None else None
    return (
        sealed is not None and windows.giver_of_sealed_answer(ask).seat == ask.seat and game.format(sealed) != instead
    )


def _receipt_of_seal(table: LockedTable, ask: AskRow, *, repeated: bool) -> Receipt:
    match = table.match
    nothing = Stretch(match.head, match.head, [])
    return Receipt(match.game, match.version, nothing, repeated, parts=(_receipt_part_of_sealed_ask(ask),), sealed=True)


def _receipt_part_of_sealed_ask(ask: AskRow) -> PartDone:
    return PartDone(ask.key, ask.kind, "sealed")


def _order_answer_to_following_question(table: LockedTable, ask: AskRow, kind: str, move: Move, via: str) -> PartDone:
    """Orders the answer to a question that follows in the same sitting, once the others have answered theirs."""
    seat, own, game = ask.seat, table.fold_of_seat(ask.seat), table.game
    order = Always[Any](kind=kind, move=move, scope="question")
    why = refusal_of_order(order, game, own, seat)
    if why is not None:
        return PartDone(None, kind, "open", error_for_refused_move_or_order(game, order, why))
    orders.put_order_first(table, seat, struct_replace(standing_from_now_on(order, game, own), window=ask.key), via)
    return PartDone(None, kind, "ordered")


# --- tried before it is played, from the player's own fold and nothing else -----------------------------------

NO_LUCK = KeyLuck(bytes(32))
"""The luck with which an illegal move is tried to get its refusal: nothing derived from the match's own."""


@dataclass(frozen=True)
class Foreseen:
    """A legal move, the ask it would answer, and its first events as far as the mover can know them."""

    view: View
    ask: OpenAsk
    move: Move
    events: Sequence[Event]


def preview_move(site: Site, match_id: str, seat: int, key: str | None, said: Said) -> Foreseen:
    """Returns what the seat foresees of a move, computed from its own fold and nothing else. Changes nothing.

    `key` is that of the question; None stands for the open one. Raises NotFound, Unreadable, Gone, Stale, Illegal.
    """
    view = match_views.read_now(site, match_id, seat)
    move = read_move(view.game, said, seat)
    require_in_play(view.sheet.status)
    if view.ask is None or key not in (None, view.ask.key):
        raise stale_error(NOT_OPEN, view.ask)
    if move not in view.legal():
        raise illegal_move_error(view.game, view.fold, seat, move)
    foreseen = view.game.preview(view.fold, seat, move)
    return Foreseen(view, view.ask, move, [redact(event, seat) for event in foreseen])


def illegal_move_error(game: AnyGame, fold: Any, seat: int, move: Move) -> Problem:
    """Returns why a move is not legal, as far as the rules can tell a player who knows only this fold."""
    try:
        game.decide(fold, seat, move, NO_LUCK.rules(1, seat))
    except IllegalMove as why:
        return error_for_refused_move_or_order(game, move, why)
    raise AssertionError("the rules refuse in a seat's own fold whatever is not legal there")
