"""Messages to chats: the forms in which Discord and Slack take them, with all markup escaped, and where."""

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from pbem.errors import N_, Unlinkable
from pbem.features.safe_http import strip_and_check_url

MOST_LETTERS = 2000
"""The maximum length of a message that Discord accepts."""


@dataclass(frozen=True)
class Message:
    """A message for a chat: a heading, lines below it, and a link."""

    head: str
    lines: tuple[str, ...] = ()
    link: str | None = None


def _escape_message(message: Message, harmless: Callable[[str], str]) -> str:
    """Returns the message as text, each character escaped separately; cut off if it is too long, but with its link."""
    link = f"\n{message.link}" if message.link else ""
    letters = [harmless(letter) for letter in "\n".join((message.head, *message.lines))]
    room, kept = MOST_LETTERS - len(link), len(letters)
    if sum(map(len, letters)) > room:
        sums = itertools.accumulate(map(len, letters))
        kept = sum(1 for length in sums if length < room)
    return "".join(letters[:kept]) + ("…" if kept < len(letters) else "") + link


def message_for_discord(message: Message) -> dict[str, Any]:
    """Returns the message in Discord's format, with all Markdown escaped."""
    said = _escape_message(message, lambda letter: f"\\{letter}" if letter in _MARKDOWN else letter)
    return {"content": said, "allowed_mentions": {"parse": []}}


def message_for_slack(message: Message) -> dict[str, Any]:
    """Returns the message in Slack's format, with all markup escaped."""
    escapes = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}
    return {"text": _escape_message(message, lambda letter: escapes.get(letter, letter))}


_MARKDOWN = frozenset("\\*_~`|>#[]()<@-")
"""Characters that Discord may read as bold, code, a link, an emoji or a mention."""
FORMS: dict[str, Callable[[Message], dict[str, Any]]] = {"discord": message_for_discord, "slack": message_for_slack}
PRESETS = ("standard", *FORMS)
_PLACES = {
    "discord": (("discord.com", "discordapp.com"), "/api/webhooks/"),
    "slack": (("hooks.slack.com",), "/services/"),
}


def check_hook_url(url: str, preset: str, *, private: bool) -> str:
    """Returns the URL without surrounding spaces; a chat is called at its own address only. Raises Unlinkable.

    With `private` any other server may be called: see `strip_and_check_url`.
    """
    url = strip_and_check_url(url, private=private)
    if preset in _PLACES:
        parts, (hosts, path) = urlsplit(url), _PLACES[preset]
        if parts.scheme != "https" or parts.hostname not in hosts or not parts.path.startswith(path):
            facts = {"host": hosts[0], "path": path}
            raise Unlinkable(N_("An address of this kind begins with “https://%(host)s%(path)s”."), facts)
    return url
