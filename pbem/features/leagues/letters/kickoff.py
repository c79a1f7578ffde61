"""A season has begun: the reader's matches, and the commitments of its deals."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import func, select

from pbem.features.leagues.reading import OwnMatch, matches_of_player
from pbem.features.leagues.season_letters import SeasonLetter, SeasonMatchLine, SeasonTerms, about
from pbem.features.leagues.tables import Entrant, Season
from pbem.features.leagues.terms import terms_of
from pbem.mail.letters import Kind
from pbem.models.deals import DealRow
from pbem.models.tables import Match, table
from pbem.services.mail.letter_context import LetterContext


@dataclass(frozen=True, kw_only=True)
class KickOff(SeasonLetter):
    """The reader's matches in the season, all of which have begun.

    `bye` is the number of rounds in which they have no table.
    """

    lists = ("matches",)

    division: int
    divisions: int
    matches: tuple[SeasonMatchLine, ...]
    bye: int
    terms: SeasonTerms

    @property
    def commitments(self) -> tuple[str, ...]:
        """Those of the deals that its matches share with other tables, each once."""
        return tuple(dict.fromkeys(one.commitment for one in self.matches if one.commitment is not None))


_m, _d = table(Match), table(DealRow)


def build(context: LetterContext) -> KickOff | str:
    """Returns the letter with the reader's matches; stale once the season is over."""
    of = about(context)
    player = context.reader.player
    if of is None or of.season.status not in ("running", "starting") or player.id is None:
        return "stale"
    assert of.entrant.division is not None, "everybody who plays has one"
    own = matches_of_player(context.session, player.id, of.season.id)
    terms = terms_of(of.season)
    bye = max(0, terms.matches - len(own)) if terms.pairing == "rotation" else 0
    return KickOff(
        **of.fields(), division=of.entrant.division, divisions=_divisions(context, of.season),
        matches=_lines(context, own), bye=bye, terms=of.terms(),
    )  # fmt: skip


KIND = Kind(KickOff, build)


def _lines(context: LetterContext, own: tuple[OwnMatch, ...]) -> tuple[SeasonMatchLine, ...]:
    commitments = _commitments(context, own)
    return tuple(_line(context, one, commitments.get(one.match_id)) for one in own)


def _line(context: LetterContext, one: OwnMatch, commitment: str | None) -> SeasonMatchLine:
    token = context.site.tokens.for_owner(one.match_id, one.seat, one.epoch, None)
    others = one.names[: one.seat] + one.names[one.seat + 1 :]
    return SeasonMatchLine(one.round, others, context.site.url(f"/play/{token}"), commitment)


def _divisions(context: LetterContext, season: Season) -> int:
    e = table(Entrant)
    return context.session.execute(select(func.max(e.c.division)).where(e.c.season_id == season.id)).scalar() or 1


def _commitments(context: LetterContext, own: tuple[OwnMatch, ...]) -> dict[str, str]:
    """Returns the commitments of the deals that the matches share with other tables, by the ids of the matches."""
    found = select(_m.c.id, _d.c.commitment).join(_d, _d.c.id == _m.c.deal_id).where(
        _m.c.id.in_([one.match_id for one in own])
    )  # fmt: skip
    return dict(tuple(row) for row in context.session.execute(found))
