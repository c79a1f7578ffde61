"""What a seat's page has to say besides the news: what was refused or done, and what the others wait for."""

from collections.abc import Iterator
from dataclasses import dataclass

from flask import url_for
from markupsafe import Markup

from pbem.errors import Illegal, Problem
from pbem.render.i18n import clock_to_the_second, join_and, title_of, translator
from pbem.render.phrases import isolate_each
from pbem.render.problems import sentence
from pbem.services.play import takeback
from pbem.services.play.takeback import Reversible
from pbem.services.views.match_views import Sheet, View
from pbem.services.views.seats import Seated
from pbem.services.views.talk import Message
from pbem.web.protocol.language import _, page_language
from pbem.web.views.match_page import Table
from pbem.web.views.strip import Button, Item

SHOWN_AT_ONCE = ("luck", "shown", "window")
"""Why nothing can be taken back is said about these when somebody has just moved; nobody has to hear of the others."""
MOST_LETTERS = 60
"""How much of a message the strip shows; the talk has all of it."""


@dataclass(frozen=True)
class Happened:
    """What the request for the page has to tell: what was refused, or done, and the answer that lies sealed."""

    trouble: Problem | None = None
    notice: str | None = None
    word: str = ""
    """What the button that plays a move says is done; "" if none was pressed."""
    sealed: Markup | None = None


def items_of(
    seated: Seated,
    view: View,
    token: str,
    table: Table | None,
    happened: Happened,
    can: Reversible | None,
    ordered: tuple[list[Markup], list[Markup]] | None,
) -> Iterator[Item]:
    """Yields what the page has to say before the news, the most urgent first.

    `ordered` is what orders have answered and left open.
    """
    if happened.trouble is not None:
        rule = happened.trouble.extra if isinstance(happened.trouble, Illegal) else {}
        found = (rule["rule"], rule["rule_page"]) if "rule_page" in rule else None
        yield Item("no", sentence(happened.trouble, page_language()), rule=found)
    if table is not None and table.back is not None and table.chosen is None:
        cancel = Button(_("Cancel"), url_for("play.show", token=token, ask=table.key))
        yield Item("chosen", Markup(" › ").join(label for _href, label in table.taken), buttons=(cancel,))
    if happened.sealed is not None:
        yield Item("mine", Markup("<b>{}</b>.").format(happened.sealed), _("You can still change it."))
    elif happened.notice is not None and (can is None or happened.word != "1"):
        yield Item("mine", happened.notice)
    if can is not None and happened.word and happened.sealed is None:
        yield _take_back(view, can, seated.zone, token)
    yield from _requests_of_others(seated, token)
    if can is not None and not happened.word:
        yield _take_back(view, can, seated.zone, token, urgent=view.ask is None)
    if ordered is not None:
        yield _tell_of_orders(*ordered, url_for("acts.show_orders", token=token))
    if seated.sheet.has_resigned(seated.seat) and seated.sheet.status in ("running", "paused"):
        yield Item("mine", _("Your moves are automatic until the end."), urgent=False)


def reversible(can: Reversible | None, *, has_moved: bool) -> Reversible | None:
    """Returns what the page says can be taken back, or cannot; None if nothing, or nothing that anybody asks about."""
    if can is None or can.to is None or (can.state == "no" and not (has_moved and can.reason in SHOWN_AT_ONCE)):
        return None
    return can


def _take_back(view: View, can: Reversible, zone: str, token: str, *, urgent: bool = True) -> Item:
    """Tells what the reader did, and whether they can take it back: one item in five states."""
    assert can.to is not None
    lang, word, more = page_language(), _("Take back"), _("You can take this back.")
    match can.state:
        case "held" if can.held_until is not None:
            more = _("Emails wait till %(when)s.", when=clock_to_the_second(can.held_until, zone, lang))
        case "free":
            more = _("No one has seen it yet.")
        case "consent" if can.needed:
            word, more = _("Ask them"), _("The others must agree.")
        case "asked":
            missing = [view.sheet.names[seat] for seat in can.needed if seat not in can.agreed]
            more = translator(lang).ngettext(
                "%(names)s has not agreed yet.", "%(names)s have not agreed yet.", len(missing)
            ) % {"names": join_and(missing, lang)}
        case "no":
            return Item("mine", _(takeback.REASONS[can.reason]) if can.reason else "", urgent=False)
    button = Button(word, url_for("acts.take_back", token=token), {"to": can.to})
    if can.state == "asked":
        button = Button(_("Withdraw the request"), url_for("acts.withdraw", token=token), {})
    buttons: tuple[Button, ...] = (button,)
    if can.state == "held" and view.ask is None:
        buttons += (Button(_("Send now"), url_for("acts.tell", token=token), {}),)
    told = next((view.markup(line.text) for line in view.story(lang, after=can.to)), Markup())
    return Item("mine", told, more, buttons, urgent=urgent)


def _requests_of_others(seated: Seated, token: str) -> Iterator[Item]:
    """Yields what waits for the reader besides the question of the game."""
    sheet, place = seated.sheet, seated.sheet.seats[seated.seat]
    if place.absent and sheet.status in ("running", "paused"):
        bot = title_of(seated.stand_in, page_language())
        text = _("A bot (%(bot)s) plays for you.", bot=bot) if seated.stand_in else _("The clock moves for you.")
        button = Button(_("I am back"), url_for("acts.back", token=token), {})
        yield Item("asked", text, _("You missed two turns."), (button,), head=_("You are absent"))
    request = sheet.takeback
    if request is not None and sheet.status == "running" and seated.seat in request.needed:
        name, agreed = sheet.names[request.seat], seated.seat in request.agreed
        text = (
            _("%(name)s wants to take back a move.", name=name)
            if agreed
            else _("%(name)s wants to take back a move. Agree?", name=name)
        )
        consent, to = url_for("acts.consent", token=token), {"to": request.to}
        buttons = () if agreed else (
            Button(_("Agree"), consent, to | {"agree": 1}), Button(_("Decline"), consent, to | {"agree": 0}),
        )  # fmt: skip
        yield Item(
            "asked", text, "" if buttons else _("You have agreed."), buttons, head=_("Do you agree?") if buttons else ""
        )
    for ask in sheet.asks:
        if sheet.status == "running" and ask.vote and seated.seat in ask.vote.voters:
            name, cast = sheet.names[ask.seat], seated.seat in ask.vote.cast
            text = _("The time of %(name)s is up. Let the clock move?", name=name)
            votes = _("%(cast)s of %(needed)s votes", cast=len(ask.vote.cast), needed=ask.vote.needed)
            vote = Button(_("Let it move"), url_for("acts.vote", token=token), {"late": ask.seat})
            yield Item("asked", text, votes, () if cast else (vote,), head="" if cast else _("Your vote?"))
    if place.bounces:
        button = Button(_("Send me an email"), url_for("account.write_to_owner", token=token), {})
        yield Item("asked", _("Your mailbox refuses our emails, so we send none."), "", (button,), urgent=False)


def _tell_of_orders(answered: list[Markup], left: list[Markup], href: str) -> Item:
    ngettext = translator(page_language()).ngettext
    did = ngettext(
        "Your orders have answered %(num)s question.", "Your orders have answered %(num)s questions.", len(answered)
    )
    waits = ngettext("%(num)s question was left to you.", "%(num)s questions were left to you.", len(left))
    told = [text % {"num": len(lines)} for lines, text in ((answered, did), (left, waits)) if lines]
    return Item("mine", " ".join(told), buttons=(Button(_("See"), href),), urgent=False)


def message_item(sheet: Sheet, message: Message, href: str) -> Item:
    """Returns the beginning of the newest message to the table, as the last of the news."""
    said = message.text if len(message.text) <= MOST_LETTERS else f"{message.text[:MOST_LETTERS].rstrip()}…"
    text = Markup("<b>{}</b> {}").format(*isolate_each((sheet.names[message.seat], said)))
    return Item("news", text, buttons=(Button(_("Answer"), href),))
