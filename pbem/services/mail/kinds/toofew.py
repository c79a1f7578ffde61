"""The mail to a member who had said yes and is not seated. The row's key names the occasion and the membership."""

from sqlmodel import col, func, select

from pbem.mail.kinds.toofew import TooFew
from pbem.models.circles import CircleMatch, Occasion, StandingTable
from pbem.models.tables import SeatRow
from pbem.services.circles.standing import weekly_of
from pbem.services.log.store import game_by_slug
from pbem.services.mail.circle_letters import links, membership
from pbem.services.mail.letter_context import LetterContext


def build(context: LetterContext) -> TooFew | str:
    """Returns the letter; stale once they have left, "muted" if they want no mails of the circle."""
    occasion_id, _, member_id = (context.row.key or "").partition(".")
    found, occasion = membership(context, member_id), context.session.get(Occasion, int(occasion_id))
    if found is None or occasion is None or found[1].status != "member":
        return "stale"
    circle, row = found
    standing = context.session.get_one(StandingTable, occasion.standing_id)
    if row.muted:
        return "muted"
    game = game_by_slug(standing.game)
    seated = (
        select(func.count())
        .select_from(SeatRow)
        .join(CircleMatch, col(CircleMatch.match_id) == col(SeatRow.match_id))
        .where(col(CircleMatch.occasion_id) == occasion.id)
    )
    return TooFew(
        **context.envelope(), circle=circle.name, game=game, others=context.session.exec(seated).one(),
        again_at=None if standing.stopped_at else weekly_of(standing).following(max(context.now, occasion.starts_at)),
        **links(context, row, "circle_url"),
    )  # fmt: skip
