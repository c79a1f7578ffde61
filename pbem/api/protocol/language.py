"""The language in which a request is answered."""

from flask import g, request

from pbem.api.protocol.callers import confirm
from pbem.kit.texts import LANGS, Lang


def language() -> Lang:
    """Returns the language of `?lang=`, else that of the token's player, else that of Accept-Language, else French."""
    for lang in LANGS:
        if request.args.get("lang") == lang:
            return lang
    confirm()
    known: Lang | None = g.get("language")
    if known is not None:
        return known
    wanted = request.accept_languages.best_match(LANGS, default="fr")
    return "en" if wanted == "en" else "fr"
