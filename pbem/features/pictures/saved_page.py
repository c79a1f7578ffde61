"""A replay as one file: story, boards and log of a finished match, with scripts that show and check it off line.

It leads nowhere and loads nothing. Without scripts it shows the last board and the story. What it shows is what the
page of the replay shows; its log is the whole one, for everything is open once a match is over.
"""

from typing import Any, cast

from flask import Response, g, render_template, request
from markupsafe import Markup

from pbem.features.pictures import boards, bundle
from pbem.features.pictures.boards import SavedBoards
from pbem.features.pictures.pictures import File, read_eyes
from pbem.kit.contract import Viewer
from pbem.kit.logs import logfile
from pbem.kit.logs.chain import mark_of
from pbem.kit.logs.logfile import Log
from pbem.render import pictures
from pbem.services.views import match_views, replays
from pbem.web.protocol.language import _
from pbem.web.protocol.page import site
from pbem.web.views import viewer
from pbem.web.views.match_page import ending, headline

SYMBOLS = "<!--symbols-->"
STYLES = ("look.css", "pages.css")
NIGHT = "dark.css"


def send(match_id: str, seat: Viewer, found: File) -> Response:
    """Returns the page with these boards, to be saved. Raises NotFound, Forbidden."""
    g.lang = found.lang  # that of the boards
    seen = replays.read_replay(site(), match_id, seat, found.lang, read_eyes(found.eyes))
    log = match_views.read_log(site(), match_id, seat)
    response = Response(_render(seen, log, boards.read(found.data)), mimetype="text/html")
    response.add_etag()
    response.cache_control.no_cache = True
    response.headers.set("Content-Disposition", "attachment", filename=f"{found.game}-{match_id}.html")
    return cast(Response, response.make_conditional(request))


def _render(seen: replays.MatchReplay, log: Log, saved: SavedBoards) -> str:
    scripts = [bundle.script("saved-replay.js")]
    if "data-pan" in seen.board(seen.steps[-1]):
        scripts.append(bundle.script("pan.js"))
    styles = [bundle.style(name) for name in STYLES]
    night = bundle.style(NIGHT)
    html = render_template(
        "features/pictures/saved_page.html", game=seen.game, headline=headline(seen.sheet, None),
        ending=ending(seen.sheet), policy=bundle.policy(scripts, [*styles, night]),
        whose=viewer.name_of(seen, seen.eyes),
        scripts=[*map(Markup, scripts)], styles=[*map(Markup, styles)], night=Markup(night),  # noqa: S704  # our own files
        texts=_texts(), log=_plain(logfile.write(log).decode()), draws=saved.draws, boards=saved.boards,
        entries=[step.entry for step in seen.steps], names=seen.names, commitment=log.commitment,
        mark=mark_of(log.proof.head) if log.proof else None, name=f"{seen.game.meta.slug}-{seen.sheet.id}.json",
        **viewer.step_variables(seen, len(seen.steps), (), alone=True),
    )  # fmt: skip
    return html.replace(SYMBOLS, pictures.symbols(seen.game, html, saved.uses), 1)


def _plain(json: str) -> Markup:
    """Returns JSON that can stand in a script element: it has no `<` outside of strings."""
    return Markup(json.replace("<", "\\u003c"))  # noqa: S704  # nothing in it ends the element


def _forms(one: str, other: str) -> dict[str, str]:
    return {"one": one, "other": other}


def _texts() -> dict[str, Any]:
    """Returns what the scripts say, by name; `{count}` and the like are filled in there."""
    return {
        "holds": _("Holds."), "broken": _("Does not hold."), "unchecked": _("Not checked."),
        "all_holds": _("Everything that this page can check holds. Now compare it with one of your emails, below: a "
                       "match that somebody made up can agree with itself, too."),
        "all_broken": _("Something does not hold: this log is not what was played, or the file was changed."),
        "all_partly": _("This page can check only a part: this log does not hold the seed."),
        "all_no_seed": _("This log cannot be checked here: it does not hold the seed."),
        "all_no_hashes": _("This browser cannot do the arithmetic that the check needs. Open the file in another one."),
        "all_old_format": _("This log is of an older form, without a chain and marks: it cannot be checked here."),
        # what is checked, subject by subject
        "commitment_holds": _("Envelope: its content gives the 64 characters on it, below."),
        "words_holds": _forms(
            _("Lucky words: not counting the organiser, {count} player typed one."),
            _("Lucky words: not counting the organiser, {count} players typed one."),
        ),
        "words_none": _(
            "Lucky words: no player besides the organiser typed one, so the server knew all luck "
            "when it sealed the envelope."
        ),
        "chain_holds": _forms(
            _("Story: the only entry leads to the last mark."), _("Story: all {count} entries lead to the last mark.")
        ),
        "seals_holds": _forms(
            _("Secrets: the only one is what was sealed when it happened."),
            _("Secrets: all {count} are what was sealed when they happened."),
        ),
        "seals_closed": _forms(_("One is still closed."), _("{count} are still closed.")),
        "luck_holds": _forms(
            _("Draws: the only shuffle or die follows from envelope and words."),
            _("Draws: all {count} shuffles and dice follow from envelope and words."),
        ),
        "luck_none": _("Draws: nothing was drawn in this match."),
        "left_unchecked": _(
            "The server in league with the last player to sit down could choose the luck; times are "
            "what the server says."
        ),
        "rules_unchecked": _("Rules and bots: not here. The program pbem checks them, too, with the log: pbem verify."),
        "commitment_unchecked_no_seed": _("Envelope: this log does not hold what is in it."),
        "words_unchecked_no_seed": _("Lucky words: this log does not hold the seed."),
        "seals_unchecked_no_seed": _("Secrets: this log does not hold the seed that opens them."),
        "luck_unchecked_no_seed": _("Draws: this log does not hold the seed."),
        "luck_unchecked_no_draws": _("Draws: this page has no list of them."),
        "commitment_broken": _("Envelope: its content does not give the characters on it."),
        "words_broken": _("Lucky words: what the log has in their place does not fit."),
        "chain_broken": _("Story: its entries do not lead to the last mark. Some were changed, dropped or added."),
        "chain_broken_at": _("Story: entry {entry} does not fit."),
        "seals_broken": _("Secrets: something is not what was sealed."),
        "seals_broken_at": _("Secrets: entry {entry} shows something other than what was sealed."),
        "luck_broken": _("Draws: they do not follow from envelope and words."),
        "luck_broken_at": _("Draws: what was drawn for entry {entry} does not follow from envelope and words."),
        # a mail compared with the log
        "mail_word": _("Yes: this is the word that counts for {names}."),
        "mail_mark": _("Yes: after step {step} this log has this mark. To be certain, compare the 64 characters of "
                       "the email’s header X-PBEM-Head."),
        "mail_step": _("Yes: this email was sent after step {step}, and this log is the same up to there."),
        "mail_show": _("Show step {step}"),
        "mail_before": _("Yes: this email was sent before the first step, and this log begins in the same way."),
        "mail_commitment": _("Yes: these are the characters on the envelope of this match."),
        "mail_other": _("No: no step of this log has this mark, and nobody has this lucky word. Check what you "
                        "typed; if it is right, this log is another one, or it was changed."),
        "mail_unreadable": _("No: nobody in this match has this lucky word, and it is neither a mark of eight signs "
                             "nor 64 characters."),
        "mail_old_format": _("This log is of an older form, which has no marks and no words."),
    }  # fmt: skip
