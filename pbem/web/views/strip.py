"""The strip above the board: what is asked, until when, what happened, and what can be taken back.

All that the page has to say stands in one place of it, the slot, as items that its reader pages through: first what
answers them or waits for their answer, then the news, line by line. Each kind of item has a dressing of its own.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from flask import request, url_for
from markupsafe import Markup

from pbem.errors import Problem
from pbem.render.i18n import bot_title, clock_to_the_second, join_and, message_catalogue
from pbem.render.phrases import isolate_facts
from pbem.render.problems import problem_sentence
from pbem.services.play import takeback
from pbem.services.play.takeback import Reversible
from pbem.services.views.match_views import Sheet, View
from pbem.services.views.seats import Seated
from pbem.services.views.talk import Message
from pbem.web.protocol.language import _, page_language
from pbem.web.views.match_page import CardShown, Table

Kind = Literal["no", "chosen", "mine", "asked", "news"]
"""What an item is: a refusal, a choice half made, what the reader did, what the others wait for, or what happened."""


@dataclass(frozen=True)
class Button:
    """A button of an item: a form of these fields, or a link if they are None."""

    label: str
    href: str
    fields: Mapping[str, object] | None = None


@dataclass(frozen=True)
class Item:
    """One thing the page has to say, in two lines; `more` is the lesser part of it.

    `name` is what addresses call it, `n` the number of a line of the news on the board. Paging to it says that the log
    is read up to the entry `upto`.
    `urgent`: it comes before unread news.
    """

    kind: Kind
    text: Markup | str
    more: Markup | str = ""
    buttons: tuple[Button, ...] = ()
    n: int | None = None
    upto: int = 0
    urgent: bool = True
    rule: tuple[str, str] | None = None
    """The number of the rule, and the path of its page."""
    card: CardShown | None = None
    of: str = ""
    """Which of the news it is, in words."""
    name: str = ""
    head: str = ""
    """The headline of the page while it is in sight and the game asks nothing; "": who must do what."""


@dataclass(frozen=True)
class Strip:
    """What the slot shows: its items, and the places of the one in sight, of the first unread one, and of the one
    whose card is open, if there is any.
    """

    items: tuple[Item, ...]
    at: int
    unread: int | None
    card: int | None = None

    @property
    def headline_in_sight(self) -> str:
        """Returns the headline of the item in sight; "" if it has none."""
        return self.items[self.at].head if self.items else ""


def strip_of_items(
    table: Table | None, before: Sequence[Item] = (), messages: Sequence[Item] = (), *, chosen: bool = False
) -> Strip:
    """Returns the strip with these items before the news and after them; the address may say which one is in sight.

    An unread card opens when the pager reaches it, and at the latest when something is `chosen`.
    """
    lines = table.news if table is not None else []
    news = [
        Item("news", line.text, n=n, upto=line.upto, card=line.card, name=line.name) for n, line in enumerate(lines, 1)
    ]
    # A message is no entry: who has paged to it has read what stands before it.
    news += [replace(item, upto=lines[-1].upto if lines else 0, name="message") for item in messages]
    if len(news) > 1:
        of = _("%(at)s of %(count)s")
        news = [replace(item, of=of % {"at": at, "count": len(news)}) for at, item in enumerate(news, 1)]
    items = (*(replace(item, name=f"{item.kind}{at}") for at, item in enumerate(before)), *news)
    unread = len(before) + table.unread if table is not None and table.unread is not None else None
    urgent = next((at for at, item in enumerate(before) if item.urgent), None)
    at = urgent if urgent is not None else unread if unread is not None else len(items) - 1
    at = next((place for place, item in enumerate(items) if item.name == request.args.get("news")), at)
    due = range(unread, len(items) if chosen else at + 1) if unread is not None else ()
    return Strip(items, at, unread, next((place for place in due if items[place].card is not None), None))


# --- what a seat is told besides the news --------------------------------------------------------------------

SAID_AT_ONCE = ("luck", "shown", "window")
"""Why nothing can be taken back is said about these when somebody has just moved; nobody has to hear of the others."""
MOST_SHOWN = 60
"""How much of a message the strip shows; the talk has all of it."""


def items_before_news(
    seated: Seated,
    view: View,
    token: str,
    table: Table | None,
    can: Reversible | None,
    *,
    trouble: Problem | None,
    notice: str | None,
    word: str,
    sealed: Markup | None,
    ordered: tuple[list[Markup], list[Markup]] | None,
) -> Iterator[Item]:
    """Yields what the page has to say before the news, the most urgent first.

    What was refused is the `trouble`, what was done the `notice`; `word` is what the button that plays a move says is
    done, "" if none was pressed. `sealed` is the answer that lies sealed, `ordered` what orders have answered and left
    open.
    """
    if trouble is not None:
        yield refusal_item(trouble)
    if table is not None and table.back is not None and table.chosen is None:
        cancel = Button(_("Cancel"), url_for("play.show_seat", token=token, ask=table.key))
        yield Item("chosen", Markup(" › ").join(label for _href, label in table.taken), buttons=(cancel,))
    if sealed is not None:
        yield Item("mine", Markup("<b>{}</b>.").format(sealed), _("You can still change it."))
    elif notice is not None and (can is None or word != "1"):
        yield Item("mine", notice)
    if can is not None and word and sealed is None:
        yield _take_back_item(view, can, seated.zone, token)
    yield from _items_waiting_for_reader(seated, token)
    if can is not None and not word:
        yield _take_back_item(view, can, seated.zone, token, urgent=view.ask is None)
    if ordered is not None:
        yield _orders_item(*ordered, url_for("acts.show_orders", token=token))
    if seated.sheet.has_resigned(seated.seat) and seated.sheet.status in ("running", "paused"):
        yield Item("mine", _("Your moves are automatic until the end."), urgent=False)


def is_takeback_shown(can: Reversible, *, has_moved: bool) -> bool:
    """True if the page says that this can be taken back, or that it cannot, which few ask about."""
    return can.to is not None and (can.state != "no" or (has_moved and can.reason in SAID_AT_ONCE))


def refusal_item(trouble: Problem) -> Item:
    """Returns what was refused, with the page of its rule."""
    rule = (trouble.extra["rule"], trouble.extra["rule_page"]) if "rule_page" in trouble.extra else None
    return Item("no", problem_sentence(trouble, page_language()), rule=rule)


def _take_back_item(view: View, can: Reversible, zone: str, token: str, *, urgent: bool = True) -> Item:
    """Returns the item that says what the reader did, and whether they can take it back: it has five states."""
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
            more = message_catalogue(lang).ngettext(
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


def _items_waiting_for_reader(seated: Seated, token: str) -> Iterator[Item]:
    """Yields what waits for the reader besides the question of the game."""
    sheet, place = seated.sheet, seated.sheet.seats[seated.seat]
    if place.absent and sheet.status in ("running", "paused"):
        bot = bot_title(sheet.game, seated.stand_in, page_language())
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
        button = Button(_("Send me an email"), url_for("account.send_links_to_seat", token=token), {})
        yield Item("asked", _("Your mailbox refuses our emails, so we send none."), "", (button,), urgent=False)


def _orders_item(answered: list[Markup], left: list[Markup], href: str) -> Item:
    ngettext = message_catalogue(page_language()).ngettext
    did = ngettext(
        "Your orders have answered %(num)s question.", "Your orders have answered %(num)s questions.", len(answered)
    )
    waits = ngettext("%(num)s question was left to you.", "%(num)s questions were left to you.", len(left))
    told = [text % {"num": len(lines)} for lines, text in ((answered, did), (left, waits)) if lines]
    return Item("mine", " ".join(told), buttons=(Button(_("See"), href),), urgent=False)


def message_item(sheet: Sheet, message: Message, href: str) -> Item:
    """Returns the beginning of the newest message to the table, as the last of the news."""
    said = message.text if len(message.text) <= MOST_SHOWN else f"{message.text[:MOST_SHOWN].rstrip()}…"
    text = Markup("<b>{}</b> {}").format(*isolate_facts((sheet.names[message.seat], said)))
    return Item("news", text, buttons=(Button(_("Answer"), href),))
