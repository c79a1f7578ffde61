"""A match that is over or was called off, as its pages show it: how it ended, and the ranking."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from flask import url_for
from markupsafe import Markup

from pbem.errors import N_
from pbem.kit.contract import Outcome
from pbem.kit.endings import endings_of, ranks_of
from pbem.kit.words import signed
from pbem.render import ends
from pbem.render.i18n import join_and, message_catalogue
from pbem.render.table_story import sentence_case, why_called_off
from pbem.services.views.match_views import Sheet, View
from pbem.web.features import parts_of
from pbem.web.protocol.language import _, page_language
from pbem.web.protocol.page import site

CAME = {
    2: N_("You came second."),
    3: N_("You came third."),
    4: N_("You came fourth."),
    5: N_("You came fifth."),
    6: N_("You came sixth."),
}


@dataclass(frozen=True)
class Place:
    """One line of the ranking. `place` is None for who has not won a game without scores."""

    seat: int
    name: str
    place: int | None
    score: str
    won: bool
    bot: bool


@dataclass(frozen=True)
class Result:
    """What the page of a match that is over shows besides the board."""

    picture: Markup
    """How the match ended, drawn."""
    facts: list[str]
    ranking: list[Place]
    course: Markup
    """What features tell of how it went."""
    share: str | None
    """The address that shows the match to everybody; None if it admits no spectators."""


def result_of_match(view: View, step_href: Callable[[int], str]) -> Result | None:
    """Returns the result of a match that has begun and ended; None while it runs, or if it never began.

    `step_href` gives the address of a step of the reader's replay.
    """
    sheet, seat, outcome = view.sheet, view.viewer, view.sheet.outcome
    share = site().url(url_for("watch.show_match", match_id=sheet.id)) if sheet.spectators else None
    if sheet.cancelled is not None and view.fold is not None:
        picture, why = ends.end_picture(sheet.game, None), why_called_off(sheet.cancelled, page_language())
        return Result(picture, [why], _seats_by_place(sheet, None, seat), Markup(), share)
    if outcome is None:
        return None
    course = Markup().join(part.sections for part in parts_of("result_page", view, step_href))
    return Result(
        ends.end_picture(sheet.game, outcome),
        _result_sentences(sheet, outcome, seat),
        _seats_by_place(sheet, outcome, seat),
        course,
        share,
    )


def winners_sentence(outcome: Outcome, names: Sequence[str], seat: int | None) -> str:
    """Returns who has won, said to the reader at this seat."""
    winners = [names[other] for other in outcome.winners if other != seat]
    if seat is not None and seat in outcome.winners:
        if not winners:
            return _("You won")
        you = _("You")  # not within another text: what is nested is not found for translation
        return _("%(you_and_names)s won", you_and_names=join_and([you, *winners], page_language()))
    if not winners:
        return _("Nobody won")
    if len(winners) == 1:
        return _("%(name)s won", name=winners[0])
    return _("%(names)s won together", names=join_and(winners, page_language()))


# --- in words --------------------------------------------------------------------------------------------------


def _result_sentences(sheet: Sheet, outcome: Outcome, seat: int | None) -> list[str]:
    """Returns how the match ended, by how much it was won, and the reader's own place if it is not the first."""
    if sheet.is_over_by_table:
        return _sentences_of_end_by_table(sheet, outcome, seat)
    reason = endings_of(sheet.game)[outcome.reason][page_language()]
    facts = [_("%(reason)s.", reason=sentence_case(reason)), _winning_score_sentence(sheet, outcome)]
    places = ranks_of(outcome, len(sheet.seats))
    if seat is not None and (place := places[seat]) is not None and place > 1:
        facts.append(_(CAME[place]) if place in CAME else _("You came in place %(number)s.", number=place))
        level = [name for other, name in enumerate(sheet.names) if other != seat and places[other] == place]
        if level:
            facts.append(_("Level with %(names)s.", names=join_and(level, page_language())))
    return [fact for fact in facts if fact]


def _sentences_of_end_by_table(sheet: Sheet, outcome: Outcome, seat: int | None) -> list[str]:
    """Returns how the match ended, said to the reader at this seat; nobody has won it by their score."""
    lang = page_language()
    reason = _("%(reason)s.", reason=sentence_case(endings_of(sheet.game)[outcome.reason][lang]))
    if seat is None or seat in outcome.winners:
        return [reason]
    others = [name for other, name in enumerate(sheet.names) if other not in (seat, *outcome.winners)]
    you = _("You")  # not within another text: what is nested is not found for translation
    together = join_and([you, *others], lang)
    own = _("%(you_and_names)s have resigned.", you_and_names=together) if others else _("You have resigned.")
    return [own] if outcome.reason == "last_seat" else [reason, own]


def _winning_score_sentence(sheet: Sheet, outcome: Outcome) -> str:
    """Returns the winners' score, with the lead on the next if one seat won; "" without scores or winners."""
    if not outcome.scores or not outcome.winners:
        return ""
    score = outcome.scores[outcome.winners[0]]
    others = {s: points for s, points in enumerate(outcome.scores) if s not in outcome.winners}
    if len(outcome.winners) > 1 or not others or score < max(others.values()):
        return _("Score: %(score)s.", score=signed(score))
    next_best = max(others.values())
    names = join_and([sheet.names[s] for s, points in others.items() if points == next_best], page_language())
    facts = {"score": signed(score), "names": names}
    if score == next_best:
        return _("Score: %(score)s, level with %(names)s.", **facts)
    lead = score - next_best
    ahead = message_catalogue(page_language()).ngettext(
        "Score: %(score)s, %(lead)s point ahead of %(names)s.",
        "Score: %(score)s, %(lead)s points ahead of %(names)s.",
        lead,
    )
    return ahead % {**facts, "lead": lead}


def _seats_by_place(sheet: Sheet, outcome: Outcome | None, own: int | None) -> list[Place]:
    """Returns the seats in order of their places, if they have any."""
    places = ranks_of(outcome, len(sheet.seats)) if outcome else [None] * len(sheet.seats)
    scores, winners = (outcome.scores, outcome.winners) if outcome else (None, ())
    lines = [
        Place(
            seat, _("%(name)s (you)", name=name) if seat == own else name, places[seat],
            signed(scores[seat]) if scores else "", seat in winners, sheet.seats[seat].bot is not None,
        )
        for seat, name in enumerate(sheet.names)
    ]  # fmt: skip
    return sorted(lines, key=lambda line: (line.place is None, line.place or 0, line.seat))
