"""What bots are called: how well they play."""

from pbem.kit.texts import Lang
from pbem.render.i18n import translator


def title_of(bot: str, lang: Lang) -> str:
    """Returns the bot's title in a few words; a bot that only its game knows goes by its own name."""
    _ = translator(lang).gettext
    titles = {
        "random": _("Random bot"),
        "easy": _("Easy bot"),
        "greedy": _("Good bot"),
        "fair": _("Strong bot"),
        "strong": _("Very strong bot"),
    }
    return titles[bot] if bot in titles else _("Bot: %(name)s") % {"name": bot}
