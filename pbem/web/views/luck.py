"""The luck of a match on a page of its own: the envelope, the words, what was checked, and who was lucky."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from flask import Blueprint, Response, request, url_for

from pbem.kit.contract import AnyGame
from pbem.kit.logs.chain import seats_with_word
from pbem.kit.logs.fortunes import Drawn
from pbem.kit.logs.verdict import Check, Verdict
from pbem.kit.logs.verdict_texts import NOT_CHECKED
from pbem.render.i18n import join_and, message_catalogue
from pbem.services.lobby import lucky_words, reminding
from pbem.services.views import luck, match_views, replays, seats
from pbem.services.views.luck import Agreement, Evidence
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
    """Whether the log has what somebody typed: in a sentence, and the step of the replay that it names, if any."""

    typed: str
    says: str
    agrees: bool = True
    step: int | None = None
    href: str | None = None


@dataclass(frozen=True)
class OwnWord:
    """The lucky word that a seat's owner has typed, "" for none, and what became of it. `wrong`: not the log's."""

    word: str
    says: str
    wrong: bool = False


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
def show_match_luck(match_id: str) -> Response:
    """Shows the luck of the match to a spectator."""
    keep_private()
    sheet = match_views.read_sheet(site(), match_id, None)
    return _render_luck(
        sheet, None, back=url_for("watch.show_match", match_id=match_id), log=f"/api/v1/matches/{sheet.id}/log",
        unmailed=sheet.untimed,
        replay=lambda step: url_for("watch.show_replay", match_id=match_id, step=step),
    )  # fmt: skip


@bp.get("/play/<token>/luck")
def show_own_luck(token: str) -> Response:
    """Shows the luck of the match to the holder of a seat, with their own lucky word."""
    keep_private()
    claim = claim_of(token)
    seated = seats.read_seat(site(), claim)
    speak(seated.language)
    word = lucky_words.read_typed_lucky_word(site(), claim)
    return _render_luck(
        seated.sheet, seated.seat, back=url_for("play.show_seat", token=token),
        log=url_for("watch.own_log", token=token),
        replay=lambda step: url_for("watch.show_replay", token=token, step=step),
        word=compare_own_word(seated.sheet, seated.seat, word), unmailed=seated.guest or seated.sheet.untimed,
        unsent=seated.sheet.started_at is None and not reminding.was_sent_first_mail(site(), claim),
    )  # fmt: skip


def _render_luck(sheet: Sheet, seat: int | None, *, replay: Callable[[int], str], **more: Any) -> Response:
    told = luck.read_verdict_and_fortunes(site(), sheet, seat) if sheet.open else None

    def heads() -> Sequence[str]:
        return told.heads if told else luck.read_heads_of_chain(site(), sheet.id)

    def steps() -> Sequence[Step]:
        return replays.read_replay(site(), sheet.id, seat, page_language()).steps

    evidence = Evidence(sheet.commitment, sheet.words or (), heads)
    names = [_("%(name)s (you)", name=name) if n == seat else name for n, name in enumerate(sheet.names)]
    state = "never" if sheet.status == "cancelled" else "open" if sheet.open else "sealed"  # of the envelope
    context: dict[str, Any] = {"word": None, "unmailed": False, "unsent": False, **more}
    return page(
        "views/luck.html", game=sheet.game, sheet=sheet, own=seat is not None, seat=seat, state=state,
        compared=compare_with_evidence(evidence, names, steps, replay) if sheet.words is not None else None,
        draws=draws_in_words(sheet.game, told.drawn, sheet.names) if told else [],
        typed=words_typed_sentence(sheet.typed, names) if sheet.typed is not None else None,
        **(verdict_on_page(told.verdict) if told else {}), **context,
    )  # fmt: skip


# --- lucky words ---------------------------------------------------------------------------------------------


def words_typed_sentence(typed: Sequence[int], names: Sequence[str]) -> str:
    """Returns which seats typed a word of their own, and what follows from it."""
    if set(typed) <= {ORGANISER}:
        none = _("Nobody typed a word of their own.")
        who = _("Nobody besides the organiser typed a word of their own.") if typed else none
        follows = _("So the server knew all luck when it sealed the envelope.")
        return f"{who} {follows}"
    said = join_and([names[seat] for seat in typed], page_language())
    ngettext = message_catalogue(page_language()).ngettext
    who = ngettext("%(names)s typed a word of their own.", "%(names)s typed a word of their own.", len(typed))
    follows = ngettext(
        "If it is theirs, the server can choose the luck only in league with the last player to sit down.",
        "If they are theirs, the server can choose the luck only in league with the last player to sit down.",
        len(typed),
    )
    return f"{who % {'names': said}} {follows}"


def compare_own_word(sheet: Sheet, seat: int, word: str | None) -> OwnWord:
    """Returns the word that the seat's owner has typed, if any, compared with the one in the log."""
    if word is None and sheet.typed is not None and seat in sheet.typed:
        says = _(
            "This server has no word of yours, but the log has one that somebody typed for your seat: its player "
            "before you, or the server itself."
        )
        return OwnWord("", says, wrong=True)
    if word is None:
        return OwnWord("", _("You typed none; your word follows from the sealed number."))
    if sheet.words is None:
        return OwnWord(word, _("Your word; nobody else sees it."))
    if seat in seats_with_word(sheet.words, word):
        return OwnWord(word, _("Your word; nobody else sees it. Type it in below to see that it counts."))
    return OwnWord(word, _("This is your word, but the log has another one for your seat: yours does not count."), True)


# --- what was checked ----------------------------------------------------------------------------------------


def verdict_on_page(verdict: Verdict) -> dict[str, Any]:
    """Returns a verdict as templates show it: the verdict, what was checked in sentences, and what was not."""
    return {
        "verdict": verdict,
        "checked": [_say_check(check) for check in verdict.checks if check.count or check.what == "words"],
        "not_checked": [NOT_CHECKED[what][page_language()] for what in verdict.not_checked],
    }


def _say_check(check: Check) -> str:
    """Returns in a sentence what was looked at and holds."""
    ngettext, count = message_catalogue(page_language()).ngettext, check.count
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
                "All %(num)s decisions, the start and those of the clock included, follow the rules.", count,
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


def compare_with_evidence(
    evidence: Evidence, names: Sequence[str], steps: Callable[[], Sequence[Step]], replay: Callable[[int], str]
) -> Compared | None:
    """Returns whether the word in the address, or what it has from a mail, is of the log with this evidence.

    None if it has nothing. `names` are those of the seats, and `replay` gives the address of one of the `steps`.
    """
    typed = request.args.get("mail", "")[:MOST_TYPED].strip()
    if not typed:
        return None
    found = luck.find_typed_proof_in_log(typed, evidence)
    says = agreement_sentence(found, names, marked=bool(evidence.words))
    if found.what not in ("mark", "head"):
        return Compared(typed, says, agrees=found.what not in ("other", "unreadable"))
    step = max((step.n for step in steps() if step.entry <= found.entry), default=1)
    return Compared(typed, says, step=step, href=replay(step))


def agreement_sentence(found: Agreement, names: Sequence[str], *, marked: bool) -> str:
    """Returns the answer in a sentence; `marked`: the log is of a format with marks and words."""
    match found.what:
        case "word":
            said = join_and([names[seat] for seat in found.seats], page_language())
            return _("Yes: this is the word that counts for %(names)s.", names=said)
        case "mark":
            return _(
                "Yes: at this step the match had this mark. To be certain, compare the 64 characters of the email’s "
                "header X-PBEM-Head."
            )
        case "head":
            return _("Yes, your email agrees: at this step the match had all these 64 characters.")
        case "commitment":
            return _("Yes, your email agrees: it has all 64 characters of this commitment.")
        case "digits":
            return _("Yes, as far as it goes: these are the first 16 characters of this commitment. Compare all 64.")
        case "other" | "unreadable" if not marked:
            return _("No. Logs of this older format have no marks and no words, and this is not its commitment.")
        case "other":
            return _(
                "No: this match never had this mark or commitment, and nobody has this lucky word. Check your copy, "
                "and that the email is of this match. If both are right, this is not the match that your email told "
                "of, or your word was replaced."
            )
    return _(
        "No. Nobody here has this lucky word: if you typed exactly this as yours, it was replaced. A mark looks like "
        "7K3M-9QXT, and a commitment has 64 characters, 0 to 9 and a to f."
    )


# --- who was lucky -------------------------------------------------------------------------------------------


def draws_in_words(game: AnyGame, drawn: Sequence[Drawn], names: Sequence[str]) -> list[Draws]:
    """Returns what a match has drawn, in words."""
    lang, draws = page_language(), []
    for one in drawn:
        lots = []
        for found in one.fortunes:
            lucky = found.total > (one.expected or 0) * found.count
            says = fortune_in_words(found.at_least if lucky else found.at_most, lucky=lucky)
            lots.append(
                Lot(found.seat, names[found.seat], found.count, _mean_in_words(found.total / found.count), says)
            )
        expected = _mean_in_words(one.expected) if one.expected is not None else ""
        chosen = join_and([names[seat] for seat in one.chosen], lang)
        draws.append(Draws(one.title[lang], one.times, chosen, expected, lots))
    return draws


def _mean_in_words(value: float) -> str:
    said = f"{value:.2f}"
    return said.replace(".", ",") if page_language() == "fr" else said


def fortune_in_words(share: float, *, lucky: bool) -> str:
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
