"""Rate limits of pages per network."""

from collections.abc import Callable

from flask import Flask, Response

from pbem import limits
from pbem.config import Config
from pbem.errors import N_, TooMany
from pbem.web.protocol.errors import problem_page

LINKS_PER_HOUR = 20
"""How often one place may ask for links: more than a household needs, less than it takes to try many addresses."""

LINKS = limits.Account(
    "links", LINKS_PER_HOUR, N_("Links were requested too often from your network within the hour. Please wait.")
)

PICTURES_PER_HOUR = 600
"""How often one place may look at pictures of links: drawing one takes longer than a page."""

PICTURES = limits.Account(
    "pictures",
    PICTURES_PER_HOUR,
    N_("Too many pictures were requested from your network within the hour. Please wait."),
)

DRAWINGS_PER_HOUR = 30
"""How many pictures of replays one place may have drawn: each keeps a worker busy for seconds."""

DRAWINGS = limits.Account(
    "drawings",
    DRAWINGS_PER_HOUR,
    N_("Too many pictures were requested from your network within the hour. The next one can be made in %(time)s."),
)

FILES_PER_HOUR = 300
"""How often one place may fetch a picture that was drawn: each has up to 8 MB."""

FILES = limits.Account(
    "files",
    FILES_PER_HOUR,
    N_("Too many pictures were requested from your network within the hour. Please wait."),
)


def init_app(app: Flask, config: Config, drawings: Callable[[TooMany], Response]) -> None:
    """Limits the pages that send mail to any address, and those that are expensive.

    `drawings` answers whoever has had too many pictures of replays drawn.
    """
    limits.cap(app, config, "start.create", limits.matches(config), problem_page)
    limits.cap(app, config, "start.play_now", limits.matches(config), problem_page)
    limits.cap(app, config, "vacancies.ask", limits.joins(), problem_page)
    limits.cap(app, config, "account.send_links", LINKS, problem_page)
    limits.cap(app, config, "account.sign_up", LINKS, problem_page)
    limits.cap(app, config, "account.write_to_owner", LINKS, problem_page)
    limits.cap(app, config, "privacy.ask_address", LINKS, problem_page)  # a guest is new whenever they like
    for asked in ("public_request", "own_request"):
        limits.cap(app, config, f"replay_pictures.{asked}", DRAWINGS, drawings)
    for file in ("public_file", "own_file"):
        limits.cap(app, config, f"replay_pictures.{file}", FILES, problem_page)
    for view in ("home", "rules", "match", "step"):
        limits.cap(app, config, f"share.{view}", PICTURES, problem_page)
