"""Playing: the caller's open question with its legal moves, the answer to it, and a move tried before it is played."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import Annotated, Any, Literal

import marshmallow as ma
from flask import Response
from marshmallow import fields, validate, validates_schema
from msgspec import Meta, Struct
from msgspec.structs import astuple

from pbem.answers import about, answer_from, of_games
from pbem.api.protocol.bodies import BoundedInt, Generated, Query, RequestSchema, Several, SingleLine, Text
from pbem.api.protocol.callers import SEAT, SEAT_UNDER_LOCK, language, site
from pbem.api.protocol.endpoints import Endpoints
from pbem.api.protocol.problems import problem_json, with_fields
from pbem.api.views.match_views import MOST, Events
from pbem.clock import iso_format
from pbem.errors import N_, Illegal, Invalid, Unreadable
from pbem.kit.choices import kinds_of
from pbem.kit.codec import encode
from pbem.kit.contract import Move
from pbem.kit.orders.following import split_answers_of_sitting
from pbem.kit.orders.typed import LONGEST
from pbem.kit.texts import Lang
from pbem.render.phrases import phrase_text
from pbem.services.play import moves
from pbem.services.play.order_checks import MOST as MOST_ORDERS
from pbem.services.tokens import SeatClaim
from pbem.services.views import match_views
from pbem.services.views.match_views import View

PAGE, LARGEST_PAGE = 100, 500
MOST_IN_TURN = 8

blueprint = Endpoints("playing", "What a seat is asked, and its answer.")
previews = Endpoints("previews", "A move tried before it is played.")


class Which(Query):
    """Selects a page of the legal moves."""

    kind = Text(about="Only moves of this type, like `Call`.")
    offset = BoundedInt(0, MOST, digits=True, load_default=0)
    limit = BoundedInt(1, LARGEST_PAGE, digits=True, load_default=PAGE)


class LegalMove(Struct, frozen=True):
    """A legal move: as JSON, in the game's notation, and in words."""

    move: Annotated[Any, of_games("Move")]
    text: str
    label: str


class OpenAsk(Struct, frozen=True):
    """The open question to the caller's seat."""

    key: Annotated[str, about("Names this very question; the answer carries it.")]
    kind: Annotated[str, about("A key of the game's `asks`.")]
    title: str
    prompt: str
    deadline: Annotated[datetime | None, about("Null: the match has no deadlines.")]
    silent: Annotated[bool, about("True in a silent window: nobody sees when or how you answer before it closes.")]
    sealed: Annotated[LegalMove | None, about("Your sealed answer, if there is one.")]


class Question(Struct, frozen=True):
    """The caller's open question, if any, and one page of the moves that answer it."""

    game: str
    version: int
    ask: OpenAsk | None
    kinds: Annotated[dict[str, int], about("How many moves of each type.")]
    total: Annotated[int, about("How many moves fit the filter.")]
    offset: int
    limit: int
    legal: list[LegalMove]


class OneAnswer(RequestSchema):
    """A move, as JSON or as text, for the question with this key."""

    key = SingleLine(64)
    move = Generated("Move")
    text = fields.String()

    @validates_schema
    def one_way(self, data: Mapping[str, Any], **_: Any) -> None:
        """Raises ValidationError unless there is exactly one of the two."""
        if ("move" in data) == ("text" in data):
            raise ma.ValidationError(N_("Give either “move” or “text”."), "move")


class AnswerInTurn(OneAnswer):
    """One answer of a sitting: the first has the `key` of the open question, the others may name a `kind`."""

    kind = SingleLine(20)


class Answer(OneAnswer):
    """An answer to the open question: its `key`, and `move` as JSON or `text` in the game's notation.

    Questions of one sitting can be answered at once, by `answers`, or by a text with one answer a line or with `; `
    between them. `orders` replaces the orders of the seat, as they are made after these answers.
    """

    answers = fields.List(fields.Nested(AnswerInTurn), validate=validate.Length(min=1, max=MOST_IN_TURN))
    orders = Several(
        fields.String(validate=validate.Length(min=1, max=LONGEST)),
        validate=validate.Length(max=MOST_ORDERS),
        about="Each in its typed form, such as `always answer: pass for match`.",
    )

    seen = BoundedInt(
        0,
        MOST,
        about="The version that your player looked at: up to there they have seen what happened. Without "
        "it, up to the question.",
    )
    instead = Text(
        validate=validate.Length(max=LONGEST),
        about="In a silent window: the `text` of the sealed answer that this one replaces, or an empty "
        "one if it is the first. Where another is sealed, 409 `answered`, and that one stands: so a request that "
        "comes late does not undo a later one. Without it, whatever is sealed is replaced.",
    )

    @validates_schema
    def one_way(self, data: Mapping[str, Any], **_: Any) -> None:
        """Raises ValidationError unless there is one answer to the question with this key, or several in turn."""
        if "answers" not in data:
            if "key" not in data:
                raise ma.ValidationError(N_("Missing data for required field."), "key")
            super().one_way(data)
            return
        if data.keys() & {"key", "move", "text"}:
            raise ma.ValidationError(N_("Give either “answers” or a single answer."), "answers")
        first, *others = data["answers"]
        if "key" not in first or any("key" in other for other in others):
            raise ma.ValidationError(N_("The first answer alone has a “key”."), "answers")


class Answered(Struct, frozen=True):
    """What has become of an answer that was sent."""

    key: Annotated[str | None, about("Null: its question was not put.")]
    kind: str
    outcome: Annotated[
        Literal["played", "sealed", "ordered", "open"],
        about(
            "sealed: in a silent window. ordered: played once the others have answered. open: its "
            "question is left to be answered anew."
        ),
    ]
    problem: Annotated[dict[str, Any] | None, about("As an error would tell it; null unless it is open.")]


class Reversal(Struct, frozen=True):
    """Where `POST …/takeback` goes back to with this move; `GET …/takeback` says whether it can."""

    to: int
    held_until: Annotated[
        str | None,
        about("No email about it goes out before. Null: nothing is held."),
        Meta(extra_json_schema={"format": "date-time"}),
    ]


class Receipt(Events, frozen=True, kw_only=True):
    """The new entries of the log, redacted for the caller, what has become of each answer, and how to take it back."""

    answers: list[Answered]
    sealed: Annotated[
        bool,
        about(
            "True in a silent window that is still open: the answer is kept, and has no entries yet. "
            "The same key with another move replaces it."
        ),
    ]
    takeback: Annotated[Reversal | None, about("Null while the answer is sealed.")]


class Trial(OneAnswer):
    """A move to preview: `move` as JSON, or `text` in the game's notation; with `key`, for that question only."""


class Preview(LegalMove, frozen=True, kw_only=True):
    """A legal move, and its first events as far as the caller can foresee them, without what luck decides."""

    game: str
    version: int
    key: Annotated[str, about("The question that the move would answer.")]
    events: Sequence[Annotated[Any, of_games("Event")]]


def _open_question(view: View, lang: Lang) -> OpenAsk | None:
    ask = view.ask
    if ask is None:
        return None
    return answer_from(
        OpenAsk,
        ask,
        title=view.game.meta.asks[ask.kind].title[lang],
        prompt=phrase_text(view.game.prompt(ask.ask, view.fold, lang), view.sheet.names),
        sealed=None if ask.sealed is None else legal_move(view, ask.sealed, lang),
    )


def legal_move(view: View, move: Move, lang: Lang) -> LegalMove:
    """Returns a legal move in the words of this language."""
    label = phrase_text(view.game.label(move, view.fold, lang), view.sheet.names)
    return LegalMove(move, view.game.format(move), label)


@blueprint.operation("getQuestion", "GET /matches/<match_id>/ask", who=SEAT, query=Which)
def open_question(claim: SeatClaim, offset: int, limit: int, kind: str | None = None) -> Question:
    """Returns the open question to the caller's seat, and a page of the legal moves."""
    view, lang = match_views.read_now(site(), claim.match_id, claim.seat), language()
    known = [move.__name__ for move in view.game.meta.moves]
    if kind is not None and kind not in known:
        message = N_("There is no move type “%(kind)s”; there are: %(known)s.")
        raise with_fields(Invalid(message, {"kind": kind[:40], "known": ", ".join(known)}), "kind")
    kinds = kinds_of(view.legal())
    chosen = view.legal() if kind is None else kinds.get(kind, ())
    page = [chosen[i] for i in range(offset, min(len(chosen), offset + limit))]
    return Question(
        game=view.game.meta.slug,
        version=view.sheet.version,
        ask=_open_question(view, lang),
        kinds={name: len(group) for name, group in kinds.items()},
        total=len(chosen),
        offset=offset,
        limit=limit,
        legal=[legal_move(view, move, lang) for move in page],
    )


@blueprint.operation(
    "answerQuestion",
    "POST /matches/<match_id>/moves",
    who=SEAT_UNDER_LOCK,
    body=Answer,
    status=201,
    gives=Receipt,
    refuses=(409,),
)
def play_moves(body: Mapping[str, Any], claim: SeatClaim) -> Response:
    """Answers the open question, and those that follow it in one sitting.

    The same answer to the same key returns the first receipt again. If a later answer has become impossible, those
    before it stand, and its question is asked again. In a silent window the answer is sealed until that closes; another
    move to the same key replaces it.
    """
    if "answers" in body:
        first, *then = [moves.Part(move_in_body(one), one.get("kind")) for one in body["answers"]]
    else:
        first, *then = [
            moves.Part(one) for one in (split_answers_of_sitting(body["text"]) if "text" in body else [body["move"]])
        ]
    key = body["answers"][0]["key"] if "answers" in body else body["key"]
    with point_to_legal_moves(claim.match_id):
        receipt = moves.play_answer(
            site(), claim, key, first.said, "api", then=then, ordered=body.get("orders"), seen=body.get("seen"),
            instead=body.get("instead"),
        )  # fmt: skip
    told, held = receipt.told, receipt.held_until
    done = [
        Answered(part.key, part.kind, part.outcome, None if part.why is None else problem_json(part.why))
        for part in receipt.parts
    ]
    shown = Receipt(
        game=receipt.game, version=receipt.version, base=told.base, head=told.head, mark=told.mark_of_head,
        events=told.entries, answers=done, sealed=receipt.sealed,
        takeback=None if receipt.sealed else Reversal(told.entries[0].n - 1, iso_format(held) if held else None),
    )  # fmt: skip
    return Response(encode(shown), 201, mimetype="application/json")


def move_in_body(body: Mapping[str, Any]) -> moves.Said:
    """Returns the move of an Answer, as it was sent."""
    said: moves.Said = body["move"] if "move" in body else body["text"]
    return said


@contextmanager
def point_to_legal_moves(match_id: str) -> Iterator[None]:
    """Adds to a refused move's error where to find the legal moves of the kind that was meant."""
    try:
        yield
    except (Illegal, Unreadable) as problem:
        problem.extra["legal"] = f"/api/v1/matches/{match_id}/ask" + (f"?kind={problem.kind}" if problem.kind else "")
        raise


@previews.operation(
    "previewMove",
    "POST /matches/<match_id>/preview",
    who=SEAT,
    scopes=("read",),
    body=Trial,
    gives=Preview,
    refuses=(409,),
)
def preview_move(body: Mapping[str, Any], claim: SeatClaim) -> Response:
    """Returns what the caller can foresee of a move from what they know. Nothing is played, and nobody learns of it."""
    with point_to_legal_moves(claim.match_id):
        found = moves.preview_move(site(), claim.match_id, claim.seat, body.get("key"), move_in_body(body))
    view = found.view
    foreseen = Preview(
        *astuple(legal_move(view, found.move, language())), game=view.game.meta.slug, version=view.sheet.version,
        key=found.ask.key, events=found.events,
    )  # fmt: skip
    return Response(encode(foreseen), mimetype="application/json")
