"""What a seat does besides playing: coming back, choosing who plays for it, resigning, voting; taking back; talking.

Neither table talk nor the caller's own note is in the log; spectators get neither.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Annotated, Any

from marshmallow import fields, validate
from msgspec import Struct

from pbem.answers import about, answer_from
from pbem.api.lobby.matches import match_sheet
from pbem.api.protocol.bodies import BoundedInt, Nothing, Query, RequestSchema, StrictBool, Text
from pbem.api.protocol.callers import SEAT, language, site
from pbem.api.protocol.endpoints import Endpoints
from pbem.api.protocol.headers import idempotency_key, state_seen
from pbem.api.protocol.problems import with_fields
from pbem.api.views.match_views import MOST
from pbem.errors import N_, Invalid
from pbem.render.problems import translate_message
from pbem.services.play import presence, stand_ins, takeback, voting
from pbem.services.play.takeback import REASONS, Reason, State, TakenBack
from pbem.services.tokens import SeatClaim
from pbem.services.views import match_views, talk
from pbem.services.views.talk import Message

blueprint = Endpoints("presence", "Who is at the table: coming back, who plays meanwhile, resigning, voting.", who=SEAT)
takebacks = Endpoints("takeback", "Taking back a move, and agreeing that others do.", who=SEAT)
talks = Endpoints("talking", "Words between the players of a match, and a note for oneself.", who=SEAT)


class Standing(Struct, frozen=True):
    """The caller's seat, and whether the clock moves for it."""

    seat: int
    absent: bool
    resigned: bool


class StandIn(Struct, frozen=True):
    """Who plays for the caller's seat while they are absent, which nobody else learns before it plays."""

    seat: int
    bot: Annotated[str | None, about("Null: the fallback plays.")]


class NewStandIn(RequestSchema):
    """The bot that plays for the caller while they are absent."""

    bot = Text(
        required=True,
        allow_none=True,
        validate=validate.Length(min=1, error=N_("Name a bot, or send null: then the fallback plays.")),
        about="One of the game's `bots`; null: the fallback plays.",
    )


class SeenUpTo(RequestSchema):
    """The entry up to which the player of the seat has seen what happened."""

    version = BoundedInt(0, MOST, required=True)


class Seen(Struct, frozen=True):
    """The entry up to which the player of the caller's seat has seen what happened, as they alone learn."""

    seat: int
    seen: int


class Ballot(RequestSchema):
    """A vote for letting the clock move for a seat that is late."""

    seat = BoundedInt(0, 15, required=True)


class Counted(Struct, frozen=True):
    """Whether the vote made the clock move."""

    played: bool


def _seat_standing(claim: SeatClaim) -> Standing:
    place = match_views.read_sheet(site(), claim.match_id, claim.seat).seats[claim.seat]
    return Standing(claim.seat, place.absent, place.resigned)


@blueprint.operation("comeBack", "POST /matches/<match_id>/back", body=Nothing, if_match=match_sheet, refuses=(409,))
def end_absence(claim: SeatClaim) -> Standing:
    """Ends the caller's absence: the clock no longer plays for the seat. A move does the same."""
    presence.end_own_absence(site(), claim)
    return _seat_standing(claim)


@blueprint.operation("getStandIn", "GET /matches/<match_id>/stand-in")
def stand_in(claim: SeatClaim) -> StandIn:
    """Returns who plays for the caller's seat while they are absent. Only its owner can read it."""
    return StandIn(claim.seat, stand_ins.read_stand_in(site(), claim) or None)


@blueprint.operation(
    "putStandIn", "PUT /matches/<match_id>/stand-in", body=NewStandIn, if_match=stand_in, refuses=(409,)
)
def put_stand_in(body: Mapping[str, Any], claim: SeatClaim) -> StandIn:
    """Chooses the bot that plays for the caller's seat while they are absent, or the fallback.

    It does not end an absence. Nobody else learns of the choice before the bot has played.
    """
    was, bot = state_seen(), body["bot"]
    try:
        stand_ins.choose_stand_in(site(), claim, bot or "", was=(was["bot"] or "") if was else None)
    except Invalid as problem:
        raise with_fields(problem, "bot") from None
    return StandIn(claim.seat, bot)


@blueprint.operation("markSeen", "PUT /matches/<match_id>/seen", body=SeenUpTo)
def mark_news_seen(body: Mapping[str, Any], claim: SeatClaim) -> Seen:
    """Notes that the player of the caller's seat has seen what happened up to this entry. It only ever grows.

    Their page and mails begin with what follows. A program that shows `getStory` to its player says so here.
    """
    try:
        return Seen(claim.seat, presence.mark_entries_seen(site(), claim, body["version"]))
    except Invalid as problem:
        raise with_fields(problem, "version") from None


@blueprint.operation("resign", "POST /matches/<match_id>/resign", body=Nothing, if_match=match_sheet, refuses=(409,))
def resign(claim: SeatClaim) -> Standing:
    """Resigns: the clock moves for the caller's seat until the end. This cannot be undone.

    If one seat is left that has not resigned, or only bots are, the match is over: its `outcome` says so.
    """
    presence.resign(site(), claim)
    return _seat_standing(claim)


@blueprint.operation("vote", "POST /matches/<match_id>/votes", body=Ballot, if_match=match_sheet, refuses=(409,))
def vote_for_clock(body: Mapping[str, Any], claim: SeatClaim) -> Counted:
    """Votes for letting the clock move for a late seat; with the votes of more than half of the others it does."""
    return Counted(voting.vote_to_let_clock_move(site(), claim, body["seat"]))


# --- taking back ------------------------------------------------------------------------------------------------------


class Why(Struct, frozen=True):
    """Why nothing can be taken back, or why the others have to agree."""

    code: Reason
    text: str


class TakeBack(Struct, frozen=True):
    """What the caller's seat can take back: what was played after entry `to`, which is its latest move.

    held: at once, and no email goes out before `held_until`. free: at once. consent: if the others agree. asked: they
    are being asked. no: not at all, `why` says it.
    """

    version: int
    done: Annotated[bool, about("Whether this request has taken it back.")]
    state: State
    to: Annotated[int | None, about("Null: there is no move.")]
    held_until: datetime | None
    why: Annotated[Why | None, about("Null if it is held or free.")]
    needed: Annotated[Sequence[int], about("The seats that must agree.")]
    agreed: Annotated[Sequence[int], about("The seats that have agreed.")]


class Back(RequestSchema):
    """Where to go back to: `to` of `GET …/takeback`, or the version before the move."""

    to = BoundedInt(0, MOST, required=True)


class Opinion(RequestSchema):
    """Whether the caller agrees to the open request, `takeback` in the match's sheet."""

    to = BoundedInt(0, MOST, required=True, about="That of the request.")
    agree = StrictBool(required=True)


def _takeback_answer(found: TakenBack) -> TakeBack:
    can = found.reversible
    why = Why(can.reason, translate_message(REASONS[can.reason], language())) if can.reason else None
    return answer_from(TakeBack, can, version=found.version, done=found.done, why=why)


@takebacks.operation("readTakeback", "GET /matches/<match_id>/takeback", refuses=(409,))
def reversible_move(claim: SeatClaim) -> TakeBack:
    """Returns what the caller's seat can take back now."""
    return _takeback_answer(takeback.read_takeback(site(), claim))


@takebacks.operation("takeBack", "POST /matches/<match_id>/takeback", body=Back, refuses=(409,))
def take_back(body: Mapping[str, Any], claim: SeatClaim) -> TakeBack:
    """Takes back the caller's latest move, or asks the others to agree; what was played since goes with it.

    If another move is the latest by now, 409 `stale` has its `to`. If nothing can be taken back, 409 `gone` says `why`.
    """
    return _takeback_answer(takeback.take_back(site(), claim, body["to"]))


@takebacks.operation("withdrawTakeback", "DELETE /matches/<match_id>/takeback", refuses=(409,))
def withdraw_takeback_request(claim: SeatClaim) -> TakeBack:
    """Ends the caller's own request, if it is open."""
    return _takeback_answer(takeback.withdraw_request(site(), claim))


@takebacks.operation("agreeToTakeback", "POST /matches/<match_id>/takeback/consent", body=Opinion, refuses=(409,))
def answer_takeback_request(body: Mapping[str, Any], claim: SeatClaim) -> TakeBack:
    """Agrees that somebody takes back a move, or declines, which ends the request. With the last consent it is done."""
    return _takeback_answer(takeback.answer_takeback_request(site(), claim, body["to"], agree=body["agree"]))


# --- words ------------------------------------------------------------------------------------------------------------


class Since(Query):
    """Selects messages."""

    after = BoundedInt(0, MOST, digits=True, load_default=0, about="Only messages with id above this.")


class Messages(Struct, frozen=True):
    """The newest messages, at most 200, oldest first."""

    messages: tuple[Message, ...]


class NewMessage(RequestSchema):
    """A message to send; line breaks are kept."""

    text = fields.String(required=True, metadata={"maxLength": talk.LONGEST_MESSAGE})


class Note(Struct, frozen=True):
    """The note of the caller's seat; "" without one."""

    text: str


class NewNote(RequestSchema):
    """The new text of the note; "" deletes it."""

    text = fields.String(required=True, metadata={"maxLength": talk.LONGEST_NOTE})


@talks.operation("listMessages", "GET /matches/<match_id>/messages", query=Since)
def messages(claim: SeatClaim, after: int) -> Messages:
    """Returns the table talk."""
    return Messages(talk.read_talk(site(), claim.match_id, claim.seat, after).messages)


@talks.operation(
    "say",
    "POST /matches/<match_id>/messages",
    body=NewMessage,
    status=201,
    if_match=messages,
    repeatable=True,
    refuses=(409, 429),
)
def send_message(body: Mapping[str, Any], claim: SeatClaim) -> Message:
    """Sends a message to the table. The same text again within a minute returns the first message."""
    return talk.post_message(site(), claim, body["text"], once=idempotency_key())


@talks.operation("getNote", "GET /matches/<match_id>/note")
def note(claim: SeatClaim) -> Note:
    """Returns the note that only the caller's seat can read."""
    return Note(talk.read_talk(site(), claim.match_id, claim.seat).note)


@talks.operation("putNote", "PUT /matches/<match_id>/note", body=NewNote, if_match=note)
def put_note(body: Mapping[str, Any], claim: SeatClaim) -> Note:
    """Replaces the note."""
    was = state_seen()
    return Note(talk.write_note(site(), claim, body["text"], was=was["text"] if was else None))
