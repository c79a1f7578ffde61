"""The weekly mail."""

from pbem.features.circles import claims
from pbem.features.circles.weekly import CircleNow, circles_of
from pbem.games import find_game
from pbem.mail.kinds.week import Week
from pbem.mail.parts import CircleWeek, SeasonWeek
from pbem.services.leagues.weekly import SeasonNow, Tables, seasons_of
from pbem.services.mail.letter_context import LetterContext
from pbem.services.mail.season_letters import entry_url


def build(context: LetterContext) -> Week | str:
    """Returns the letter; stale if its reader wants none any more, or there is nothing to say."""
    player = context.reader.player
    if not player.weekly or player.id is None or player.canonical is None:
        return "stale"
    tables: Tables = context.run.setdefault("week", Tables())
    seasons = seasons_of(context.session, player.id, tables)
    circles = circles_of(context.site, context.session, player.id, context.now, tables.circles)
    if not seasons and not circles:
        return "stale"
    url = context.site.url(f"/week/{context.site.tokens.for_weekly(player.id, player.canonical)}")
    return Week(
        **context.envelope(), seasons=tuple(_season(context, one) for one in seasons),
        circles=tuple(_circle(context, one) for one in circles), week_url=url,
    )  # fmt: skip


def _season(context: LetterContext, one: SeasonNow) -> SeasonWeek:
    return SeasonWeek(
        one.league, one.number, one.place, one.of, one.points, one.played, one.matches, one.at,
        entry_url(context, one.entrant_id), one.asked,
    )  # fmt: skip


def _circle(context: LetterContext, one: CircleNow) -> CircleWeek:
    url = context.site.url(f"/circle/member/{claims.for_member(context.site.tokens, one.member_id, one.epoch)}")
    game = find_game(one.game) if one.game is not None else None
    place = one.place if game is not None else None
    return CircleWeek(one.name, game, place, one.of, one.next_at, url)
