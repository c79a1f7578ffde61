"""The names of bots on pages."""

from pbem.errors import N_
from pbem.web.protocol.language import _

BOTS = {"random": N_("Random bot"), "greedy": N_("Good bot")}


def bot_title(bot: str) -> str:
    """Returns the bot's title in a word or two; a bot that only its game knows goes by its own name."""
    return _(BOTS[bot]) if bot in BOTS else _("Bot: %(name)s", name=bot)
