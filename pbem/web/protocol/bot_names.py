"""The names of bots on pages, and the order in which forms offer them."""

from pbem.kit.bots import bots_of
from pbem.kit.contract import AnyGame
from pbem.render.bot_titles import title_of
from pbem.web.protocol.language import page_language


def bot_title(bot: str) -> str:
    """Returns the bot's title in the language of the page."""
    return title_of(bot, page_language())


def offered_bots(game: AnyGame) -> list[tuple[str, str]]:
    """Returns the game's bots for a form, names and titles, from the weakest to the strongest.

    Bots that think are offered by games that imagine.
    """
    return [(bot, bot_title(bot)) for bot in bots_of(game)]
