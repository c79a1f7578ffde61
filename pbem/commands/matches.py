"""`pbem match`: shows a host matches as a spectator sees them, rebuilds their open asks, cancels them."""

from datetime import datetime
from typing import cast

import click
from sqlmodel import Session, col, select

from pbem.clock import iso_format
from pbem.commands.host import open_site_from_environment
from pbem.commands.terminal import align_columns, pluralize, print_table, printable
from pbem.kit.endings import endings_of
from pbem.kit.notation import seat_letter
from pbem.kit.texts import LANGS, Lang
from pbem.models.tables import Match, Player
from pbem.render.addresses import mask_address
from pbem.render.i18n import time_left
from pbem.render.phrases import phrase_text
from pbem.services.log import cancellation, rebuilding, store
from pbem.services.log.rebuilding import Difference
from pbem.services.log.store import Table
from pbem.services.views import match_views
from pbem.services.views.match_views import Sheet, WholeView

STATUSES = ("unconfirmed", "inviting", "running", "paused", "over", "cancelled")


@click.group()
def match() -> None:
    """List, show, rebuild or cancel matches. Never shows a secret of a match or a link."""


@match.command("list")
@click.option("--status", type=click.Choice(STATUSES), help="Only matches of this status.")
@click.option("--limit", type=click.IntRange(1), default=50, show_default=True, help="The most to list.")
def list_matches(status: str | None, limit: int) -> None:
    """List matches, newest first."""
    with open_site_from_environment() as site, site.reading() as session:
        found = select(Match).order_by(col(Match.created_at).desc(), col(Match.id)).limit(limit)
        rows = session.exec(found.where(col(Match.status) == status) if status else found).all()
        lines = []
        for row in rows:
            names = [seat.name for seat in store.seats_of(session, row.id)]
            asked = [names[ask.seat] for ask in store.open_asks(session, row.id)]
            lines.append((row.id, row.game, row.status, iso_format(row.created_at), ", ".join(names), ", ".join(asked)))
    nothing = "There are no matches." if status is None else f"There are no matches with status {status}."
    print_table(("id", "game", "status", "created", "seats", "waits for"), lines, nothing)


@match.command()
@click.argument("match_id", metavar="ID")
@click.option("--addresses", is_flag=True, help="Show the players' addresses in full.")
@click.option("--last", type=click.IntRange(0), default=10, show_default=True, help="How many lines of the story.")
@click.option("--lang", type=click.Choice(LANGS), default="en", show_default=True, help="The story's language.")
def show(match_id: str, addresses: bool, last: int, lang: str) -> None:
    """Show a match as a spectator sees it.

    Seats, open questions and the end of its story.
    """
    with open_site_from_environment() as site, site.reading() as session:
        # Not through `read_view`: a host sees a private table, too, but no more of it than a spectator would.
        view = match_views.view(Table(session, store.get_match(session, match_id)), None)
        people = _table_of_players(session, match_id, addresses)
        lines = [
            *_head_of_match(view.sheet),
            "",
            *people,
            *_table_of_asks(view.sheet, site.now()),
            *_last_lines_of_story(view, last, cast(Lang, lang)),
        ]
    click.echo("\n".join(lines))


def _head_of_match(sheet: Sheet) -> list[str]:
    entries = pluralize(sheet.version, "entry", "entries")
    lines = [f"{sheet.game.meta.title['en']} {sheet.id}: {sheet.status}, {entries}"]
    if sheet.sealed:
        lines.append("deal:    other tables may still play it, so nothing of it is shown")
    elif sheet.outcome is not None:
        winners = ", ".join(sheet.names[seat] for seat in sheet.outcome.winners) or "nobody"
        lines.append(f"ended:   {endings_of(sheet.game)[sheet.outcome.reason]['en']}; won by {winners}")
    if sheet.cancelled is not None:
        lines.append(f"called off: {sheet.cancelled}")
    times = (("created", sheet.created_at), ("started", sheet.started_at), ("ended", sheet.ended_at))
    lines += [f"{name + ':':<8} {iso_format(at)}" for name, at in times if at is not None]
    return [*lines, f"table:   {'open to spectators' if sheet.spectators else 'private'}"]


def _table_of_players(session: Session, match_id: str, addresses: bool) -> list[str]:
    rows = []
    for seat in store.seats_of(session, match_id):
        player = session.get(Player, seat.player_id) if seat.player_id is not None else None
        known = player.address if player is not None else None
        address = "-" if known is None else known if addresses else mask_address(known)
        mail = "bounces" if player and player.bounced_at else "muted" if seat.muted else ""
        rows.append((seat_letter(seat.seat), seat.name, seat.status, address, mail))
    return align_columns(("seat", "name", "status", "address", ""), rows)


def _table_of_asks(sheet: Sheet, now: datetime) -> list[str]:
    if not sheet.asks:
        return []
    rows = []
    for ask in sheet.asks:
        until, left = "-", "no deadline"
        if ask.deadline is not None:
            until, left = iso_format(ask.deadline), "time is up"
            if ask.deadline > now:
                left = time_left(ask.deadline - now, "en").replace("\u00a0", " ")
        rows.append((sheet.names[ask.seat], sheet.game.meta.asks[ask.kind].title["en"], ask.key, until, left))
    return ["", *align_columns(("waits for", "question", "key", "until", "left"), rows)]


def _last_lines_of_story(view: WholeView, last: int, lang: Lang) -> list[str]:
    if view.sheet.sealed:
        return []
    told = view.story(lang, 0)
    shown = told[len(told) - last :] if last < len(told) else told
    if not shown:
        return []
    return ["", *(f"{line.n:>5}  {printable(phrase_text(line.text, view.sheet.names))}" for line in shown)]


@match.command()
@click.argument("match_id", metavar="ID")
@click.option("--yes", is_flag=True, help="Do not ask.")
def cancel(match_id: str, yes: bool) -> None:
    """End a match that is not over. Its players get a mail."""
    with open_site_from_environment() as site:
        if not yes:
            with site.reading() as session:
                found = store.get_match(session, match_id)
                names = ", ".join(seat.name for seat in store.seats_of(session, match_id))
                question = f"Cancel {found.game} {found.id} ({found.status}) of {names}?"
            click.confirm(question, abort=True)
        cancellation.cancel_match_for_host(site, match_id)
    click.echo(f"Cancelled {match_id}.")


@match.command()
def rebuild() -> None:
    """Set the open questions of all matches right.

    They are then those that the games of this version ask. Needed after an upgrade that corrected a game, once all
    processes are of the new version. Running it twice does no harm. The exit code is 1 if something cannot be set
    right.
    """
    with open_site_from_environment() as site:
        with site.reading() as session:
            broken = [different.match_id for different in rebuilding.differences_of_open_asks(session)]
        done = [
            difference for match_id in broken if (difference := rebuilding.rebuild_asks(site, match_id)) is not None
        ]
    for difference in done:
        click.echo("\n".join(_describe_difference_of_asks(difference)))
    if not done:
        click.echo("All matches ask what they should.")
    if any(difference.answered for difference in done):
        raise SystemExit(1)


def _describe_difference_of_asks(difference: Difference) -> list[str]:
    lines = (
        ("closed", difference.extra),
        ("opened", difference.missing),
        ("answered before, not asked again", difference.answered),
    )
    over = ["  over by its state"] if difference.over else []
    return [difference.match_id, *(f"  {what}: {', '.join(keys)}" for what, keys in lines if keys), *over]
