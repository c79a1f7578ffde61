"""The luck of a match on a page of its own: the envelope, what was checked once it is open, and who was lucky."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from flask import Blueprint, Response, request, url_for

from pbem.kit.contract import AnyGame
from pbem.kit.logs.fortunes import Drawn, Fortune
from pbem.kit.logs.verdict import Check, Verdict
from pbem.kit.logs.verdict_texts import NOT_CHECKED
from pbem.render.i18n import join_and, translator
from pbem.services.lobby import lucky_words, reminding
from pbem.services.views import luck, match_views, replays, seats
from pbem.services.views.luck import Agreement
from pbem.services.views.match_views import Sheet
from pbem.services.views.replays import Step
from pbem.services.who import ORGANISER
from pbem.web.protocol.language import _, page_language, speak
from pbem.web.protocol.page import claim_of, page, site
from pbem.web.protocol.security import keep_private

bp = Blueprint("luck", __name__)

MOST_TYPED = 200
USUAL, RARE = 0.2, 0.05
"""The share of results that are as good or better, below which one calls it lucky, and very lucky."""


@dataclass(frozen=True)
class Compared:
    """The answer to "does my mail agree?": the sentence, and the step of the replay that it names, with its address."""

    typed: str
    says: str
    step: int | None = None
    href: str | None = None


@dataclass(frozen=True)
class Lot:
    """How lucky a seat was with one kind of draw: how many, their mean, and that in words."""

    seat: int
    name: str
    count: int
    mean: str
    says: str


@dataclass(frozen=True)
class Draws:
    """What was drawn of one kind: the seats' lots beside the expected mean; or what came out; or just how often."""

    title: str
    times: int
    chosen: str
    expected: str
    lots: list[Lot]


@bp.get("/match/<match_id>/luck")
def public(match_id: str) -> Response:
    """Shows the luck of the match to a spectator."""
    keep_private()
    sheet = match_views.read_sheet(site(), match_id, None)
    return _show(
        sheet, None, back=url_for("watch.match", match_id=match_id), log=f"/api/v1/matches/{sheet.id}/log",
        replay=lambda step: url_for("replay.public", match_id=match_id, step=step),
    )  # fmt: skip


@bp.get("/play/<token>/luck")
def own(token: str) -> Response:
    """Shows the luck of the match to the holder of a seat, with their own lucky word."""
    keep_private()
    claim = claim_of(token)
    seated = seats.read_seat(site(), claim)
    speak(seated.language)
    return _show(
        seated.sheet, seated.seat, back=url_for("play.show", token=token),
        log=url_for("replay.own_log", token=token), replay=lambda step: url_for("replay.own", token=token, step=step),
        word=lucky_words.read_own_word(site(), claim), unmailed=seated.guest or seated.sheet.untimed,
        unsent=seated.sheet.started_at is None and not reminding.was_sent_first_mail(site(), claim),
    )  # fmt: skip


def _show(sheet: Sheet, seat: int | None, *, replay: Callable[[int], str], **more: Any) -> Response:
    told = luck.read_luck(site(), sheet, seat) if sheet.over else None

    def steps() -> Sequence[Step]:
        return replays.read_replay(site(), sheet.id, seat, page_language()).steps

    context: dict[str, Any] = {"word": None, "unmailed": False, "unsent": False, **more}
    return page(
        "views/luck.html", game=sheet.game, sheet=sheet, own=seat is not None, seat=seat, state=state_of(sheet),
        compared=compare(sheet.commitment, told.heads, steps, replay) if told else None,
        draws=draws_of(sheet.game, told.drawn, sheet.names) if told else [],
        others_typed=None if sheet.typed is None else len([one for one in sheet.typed if one != ORGANISER]),
        **(verification(told.verdict) if told else {}), **context,
    )  # fmt: skip


def state_of(sheet: Sheet) -> Literal["sealed", "open", "never"]:
    """Returns whether the envelope is sealed still, is open, or is never opened."""
    if sheet.status == "cancelled":
        return "never"
    return "open" if sheet.over else "sealed"


# --- what was checked ----------------------------------------------------------------------------------------


def verification(verdict: Verdict) -> dict[str, Any]:
    """Returns the variables of `verdict.html`: the verdict, what was checked in sentences, and what was not."""
    return {
        "verdict": verdict,
        "checked": [_checked(check) for check in verdict.checks if check.count or check.what == "words"],
        "not_checked": [NOT_CHECKED[what][page_language()] for what in verdict.not_checked],
    }


def _checked(check: Check) -> str:
    """Returns in a sentence what was looked at and holds."""
    ngettext, count = translator(page_language()).ngettext, check.count
    match check.what:
        case "commitment" | "mark" | "head" | "word":
            raise AssertionError("pages compare what somebody holds for themselves")
        case "chain":
            words = ngettext(
                "The mark at the end follows from the only entry.",
                "The mark at the end follows from all %(num)s entries.", count,
            )  # fmt: skip
        case "seals":
            words = ngettext(
                "%(num)s secret is what had been sealed.", "%(num)s secrets are what had been sealed.", count
            )
        case "words" if not count:
            words = _("The sealed number and the organiser’s word give the commitment; no word was typed.")
        case "words":
            words = ngettext(
                "The sealed number and the organiser’s word give the commitment; %(num)s word was typed.",
                "The sealed number and the organiser’s word give the commitment; %(num)s words were typed.", count,
            )  # fmt: skip
        case "facts":
            words = ngettext(
                "The only decision follows the rules.",
                "All %(num)s decisions follow the rules, those of the clock included.", count,
            )  # fmt: skip
        case "luck":
            words = ngettext(
                "The only draw follows from the sealed number and the words.",
                "All %(num)s draws follow from the sealed number and the words.", count,
            )  # fmt: skip
        case "bots":
            words = ngettext(
                "The bots’ only choice is the one that they make.",
                "All %(num)s choices of bots are those that these bots make.", count,
            )  # fmt: skip
    return words % {"num": count}


def compare(
    commitment: str, heads: Sequence[str], steps: Callable[[], Sequence[Step]], replay: Callable[[int], str],
    *, marked: bool = True,
) -> Compared | None:  # fmt: skip
    """Returns whether what the address has from a mail is of the log with this commitment and these heads.

    None if it has nothing. `replay` gives the address of one of the `steps`; `marked`: logs of its format have marks.
    """
    typed = request.args.get("mail", "")[:MOST_TYPED].strip()
    if not typed:
        return None
    found = luck.compare(typed, commitment, heads)
    if found.what != "mark":
        return Compared(typed, agreement(found, marked=marked))
    step = step_after(steps(), found.entry)
    return Compared(typed, agreement(found, marked=marked), step, replay(step))


def step_after(steps: Sequence[Step], entry: int) -> int:
    """Returns the number of the step that a replay shows after this entry."""
    return max((step.n for step in steps if step.entry <= entry), default=1)


def agreement(found: Agreement, *, marked: bool) -> str:
    """Returns the answer in a sentence."""
    match found.what:
        case "mark":
            return _("Yes, your email agrees: at this step the match had this mark.")
        case "commitment":
            return _("Yes, your email agrees: it has all 64 characters of this commitment.")
        case "digits":
            return _("Yes, as far as it goes: these are the first 16 characters of this commitment. Compare all 64.")
        case "other" if not marked:
            return _("No. Logs of this older format have no marks, and this is not its commitment.")
        case "other":
            return _(
                "No. Nothing in this log has this mark or commitment. If it is copied correctly, this is another log."
            )
    return _("This is neither. A mark looks like 7K3M-9QXT, and a commitment has 64 characters, 0 to 9 and a to f.")


# --- who was lucky -------------------------------------------------------------------------------------------


def draws_of(game: AnyGame, drawn: Sequence[Drawn], names: Sequence[str]) -> list[Draws]:
    """Returns what a match has drawn, in words."""
    lang = page_language()
    return [
        Draws(
            one.title[lang], one.times, join_and([names[seat] for seat in one.chosen], lang),
            _mean(one.expected) if one.expected is not None else "",
            [_lot(fortune, one.expected or 0, names) for fortune in one.fortunes],
        )
        for one in drawn
    ]  # fmt: skip


def _lot(fortune: Fortune, expected: float, names: Sequence[str]) -> Lot:
    lucky = fortune.total > expected * fortune.count
    says = lucky_words_for(fortune.at_least if lucky else fortune.at_most, lucky=lucky)
    return Lot(fortune.seat, names[fortune.seat], fortune.count, _mean(fortune.total / fortune.count), says)


def _mean(value: float) -> str:
    said = f"{value:.2f}"
    return said.replace(".", ",") if page_language() == "fr" else said


def lucky_words_for(share: float, *, lucky: bool) -> str:
    """Returns in words how unusual a result is that this share of all equally likely ones reaches, or stays below."""
    if share >= USUAL:
        word = _("nothing unusual")
    elif share >= RARE:
        word = _("lucky") if lucky else _("unlucky")
    else:
        word = _("very lucky") if lucky else _("very unlucky")
    if share < 0.01:
        of = _("fewer than 1 in 100 get as much") if lucky else _("fewer than 1 in 100 get as little")
    else:
        of = _("%(num)s in 100 get as much or more") if lucky else _("%(num)s in 100 get as little or less")
        of %= {"num": round(share * 100)}
    return _("%(title)s: %(chosen)s", title=word, chosen=of)
