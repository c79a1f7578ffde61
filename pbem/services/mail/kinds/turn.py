"""The mail that tells a player that it is their turn. The row's key names the ask."""

from urllib.parse import urlencode

from sqlmodel import col, select

from pbem.kit.choices import kinds_of
from pbem.kit.contract import AnyGame, Lang, Move
from pbem.mail.kinds.turn import MOST_CHOICES, YourTurn
from pbem.mail.parts import Choice
from pbem.models.tables import OutboxRow
from pbem.services.log import store
from pbem.services.mail import board_letters, digests
from pbem.services.mail.letter_context import LetterContext
from pbem.services.views import match_views
from pbem.services.views.match_views import View


def build(context: LetterContext) -> YourTurn | str:
    """Returns the letter unless the seat has answered or the daily digest covers the ask in time."""
    return of_question(context, YourTurn)


def of_question(context: LetterContext, letter: type[YourTurn]) -> YourTurn | str:
    """Returns the letter about the row's ask; stale once it is answered, "digest" if the digest covers it in time."""
    bundle = store.bundle_of(context.session, context.match.id)
    row = next((a for a in bundle.asks if a.seat == context.seat.seat), None)
    if context.match.status != "running" or row is None or row.origin != context.row.key:
        return "stale"
    if digests.has_digest_before(context.session, context.reader.player, row.deadline, context.now):
        return "digest"
    view = match_views.view(context.session, context.match, context.seat.seat, bundle)
    assert view.ask is not None, "the question is open"
    lang, game, ask = context.reader.lang, view.game, view.ask
    play_url = context.link("play", "play")
    names = view.sheet.names
    return letter(
        **board_letters.with_board(context, view),
        title=game.meta.asks[ask.kind].title[lang],
        prompt=game.prompt(ask.ask, view.fold, lang),
        choices=choices(view, lang, play_url),
        deadline=board_letters.deadline(context, row, view),
        play_url=play_url,
        start=board_letters.start(context) if _first(context, view) else None,
        waiting=tuple(names[s.seat] for s in view.sheet.seats if not s.asked),
        asked=tuple(names[s.seat] for s in view.sheet.seats if s.asked and s.seat != context.seat.seat),
        away=board_letters.away(context, view),
    )


def _first(context: LetterContext, view: View) -> bool:
    """True if this is the first mail to the reader about the match since it started."""
    if board_letters.has_moved(view):
        return False
    earlier_mail = select(OutboxRow.id).where(
        col(OutboxRow.match_id) == context.match.id,
        col(OutboxRow.seat) == context.seat.seat,
        col(OutboxRow.kind).in_(("started", "turn", "reminder")),
        col(OutboxRow.result) == "sent",
        col(OutboxRow.id) != context.row.id,
    )
    return context.session.exec(earlier_mail.limit(1)).first() is None


def choices(view: View, lang: Lang, play_url: str) -> tuple[Choice, ...]:
    """Returns links to single moves for kinds with few moves, otherwise one link per kind; at most `MOST_CHOICES`."""
    assert view.ask is not None
    groups = sorted(kinds_of(view.legal()).values(), key=len)
    room = MOST_CHOICES
    out: list[Choice] = []
    for left, moves in zip(range(len(groups) - 1, -1, -1), groups, strict=True):
        if len(moves) <= room - left:
            out += [_single(view, move, lang, play_url) for move in moves]
            room -= len(moves)
        else:
            out.append(_of_kind(view, moves[0], lang, play_url))
            room -= 1
    return tuple(out)


def _single(view: View, move: Move, lang: Lang, play_url: str) -> Choice:
    game: AnyGame = view.game
    picks = ",".join(step.text for step in game.path(move, view.fold, lang))
    return Choice(game.label(move, view.fold, lang), game.format(move), _pick_url(view, play_url, picks))


def _of_kind(view: View, example: Move, lang: Lang, play_url: str) -> Choice:
    step = view.game.path(example, view.fold, lang)[0]
    return Choice(step.label, "", _pick_url(view, play_url, step.text))


def _pick_url(view: View, play_url: str, picks: str) -> str:
    assert view.ask is not None
    return f"{play_url}?{urlencode({'ask': view.ask.key, 'pick': picks})}"
