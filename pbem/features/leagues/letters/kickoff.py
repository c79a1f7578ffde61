"""A season has begun: the reader's matches, and the commitments of its deals."""

from dataclasses import dataclass

from pbem.features.leagues.reading import OwnMatch, matches_of_player
from pbem.features.leagues.season_letters import SeasonLetter, SeasonMatchLine, entrant_of_mail_row
from pbem.features.leagues.terms import terms_of
from pbem.mail.letters import Kind
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

    @property
    def commitments(self) -> tuple[str, ...]:
        """The commitments of the deals that its matches share with other tables, each once."""
        return tuple(dict.fromkeys(one.commitment for one in self.matches if one.commitment is not None))


def build(context: LetterContext) -> KickOff | str:
    """Returns the letter with the reader's matches; stale once the season is over."""
    of = entrant_of_mail_row(context)
    player = context.reader.player
    if of is None or of.season.status not in ("running", "starting"):
        return "stale"
    assert of.entrant.division is not None, "everybody who plays has one"
    own = matches_of_player(context.session, player.id, of.season.id)
    terms = terms_of(of.season)
    bye = max(0, terms.matches - len(own)) if terms.pairing == "rotation" else 0
    return KickOff(
        **of.fields_of_letter(), division=of.entrant.division, divisions=of.count_divisions(),
        matches=tuple(_match_line(context, one) for one in own), bye=bye,
    )  # fmt: skip


KIND = Kind(KickOff, build)


def _match_line(context: LetterContext, one: OwnMatch) -> SeasonMatchLine:
    token = context.site.tokens.for_owner(one.match_id, one.seat, one.epoch, None)
    return SeasonMatchLine(one.round, one.others, context.site.url(f"/play/{token}"), one.commitment)
