"""The bots of installed packages: entry points of the group `pbem.bots`, each a `PackagedBot`.

Its name is the slug of a game and the name of the bot, as in `hogen.wily = "pbem_wily:BOT"`. What cannot be used is
left out, with a sentence for the host.
"""

import re
from collections.abc import Iterator, Mapping, Sequence

from pbem.kit.bots import LEVELS, RANDOM, extra_bots
from pbem.kit.contract import AnyGame, PackagedBot
from pbem.kit.texts import LANGS, Text
from pbem.packages import Offer, describe_error, why_version_is_unfit

GROUP = "pbem.bots"
NAME = re.compile("[a-z][a-z0-9_-]{0,31}")
RESERVED = {RANDOM, *LEVELS, "none"}
"""Names that mean the same in every game; `none` is no bot."""


class Useless(Exception):
    """A bot cannot be used; the message says why."""


def slug_and_name(bot: Offer) -> tuple[str, str]:
    """Returns for which game a bot is offered, and how it is called there."""
    slug, _, name = bot.name.rpartition(".")
    return slug, name


def add_bots_and_list_useless(
    game: AnyGame, offered: Sequence[Offer], taken: Mapping[str, str]
) -> list[tuple[str, str]]:
    """Gives the game its bots, in place of those from before; returns whose are left out, each with a sentence.

    `taken` are the names of the own bots of all games, each with the slug of a game that has it: where a bot plays
    goes by its name alone.
    """
    bots, wrong = dict[str, PackagedBot](), list[tuple[str, str]]()
    own = [one for one in offered if slug_and_name(one)[0] == game.meta.slug]
    for one in sorted(own, key=lambda one: one[:2]):
        name = slug_and_name(one)[1]
        try:
            bots[name] = _load_bot(name, one, game, taken, [other.origin for other in own if other.name == one.name])
        except Useless as error:
            wrong.append((one.origin, f"the bot {one.name!r} of {one.origin} {error}"))
    if bots or extra_bots(game):
        object.__setattr__(game, "packaged", bots)  # a game is frozen for all others
    return wrong


def _load_bot(
    name: str, one: Offer, game: AnyGame, taken: Mapping[str, str], origins: Sequence[str]
) -> PackagedBot:  # fmt: skip
    if (unfit := why_version_is_unfit(one.contract)) is not None:
        raise Useless(unfit)
    if not NAME.fullmatch(name):
        raise Useless("has no name of small letters, digits, _ and -, of 32 at most")
    if not (hasattr(game, "packaged") or hasattr(game, "__dict__")):
        raise Useless(f"cannot be added to {game.meta.slug}, which has slots, and no `packaged` among them")
    if name in {*RESERVED, *game.bots, *taken}:
        whose = game.meta.slug if name in {*RESERVED, *game.bots} else taken[name]
        raise Useless(f"has the name of a bot that {whose} has already")
    if len(origins) > 1:
        raise Useless(f"has the name of another: {' and '.join(sorted(origins))} offer it")
    try:
        found = one.point.load()
        wrong = next(_faults_of_bot(found), None)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # code of a foreign module may raise anything, SystemExit, too
        raise Useless(f"cannot be loaded: {describe_error(error)}") from error
    if wrong is not None:
        raise Useless(f"is no bot: {wrong}")
    bot: PackagedBot = found
    return bot


def _faults_of_bot(bot: object) -> Iterator[str]:
    """Yields what is wrong with what a package offers as a bot."""
    if not isinstance(bot, PackagedBot):
        yield f"it is a {type(bot).__name__}, not a PackagedBot of pbem.kit.contract"
        return
    if not callable(bot.choose):
        yield "its `choose` cannot be called"
    if type(bot.version) is not int or bot.version < 1:
        yield "its version must be a number from 1 on"
    for name in ("title", "strength"):
        text = getattr(bot, name)
        if not isinstance(text, Text) or not all(isinstance(text[lang], str) and text[lang].strip() for lang in LANGS):
            yield f"its {name} must be a Text in both languages"
