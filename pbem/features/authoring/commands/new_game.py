"""`pbem new-game`: writes the package of a game that plays at once, for its author to change."""

import sys
from importlib.util import find_spec
from keyword import iskeyword
from pathlib import Path

import click

from pbem.games import broken_games, found_games
from pbem.kit.laws.offered import is_slug
from pbem.testing.starter import files_of_new_game

NEXT = """{name}/ is a game that plays: Pig, under your name. Now
  1. install it, so that what you edit is what is played:  {install} --editable ./{name}
  2. check it:  pbem check {name}
  3. play it:  pbem play {name}  in this terminal, or  pbem run --reload  by page, mail and API
Then change {name}/{module}/__init__.py: docs/new-game.md says how."""


@click.command("new-game")
@click.argument("name")
def new_game(name: str) -> None:
    """Write the package of a new game, in a folder of that name.

    It plays Pig: change that into your game.
    """
    module, folder = name.replace("-", "_"), Path(name)
    if not is_slug(name):
        raise click.ClickException(
            f"{name!r} is no name of a game: small letters, digits and hyphens, as in liars-dice."
        )
    if name in found_games() or any(name == one.slug for one in broken_games()):
        raise click.ClickException(f"There is a game {name!r} already: take another name.")
    if folder.exists():
        raise click.ClickException(f"The folder {folder} is there already: take another name, or move it away.")
    if module == "pbem":
        raise click.ClickException("'pbem' is taken by pbem itself: take another name.")
    if iskeyword(module) or find_spec(module) is not None:
        raise click.ClickException(f"Python has something of its own that is called {module!r}: take another name.")
    for path, text in files_of_new_game(name, module):
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")
    click.echo(NEXT.format(name=name, module=module, install=_install_command()))


def _install_command() -> str:
    """Returns the command that installs a package beside pbem."""
    if find_spec("pip") is not None:
        return f"{sys.executable} -m pip install"
    own = Path(sys.prefix).parent / ".uv" / "bin" / "uv"
    return f"{own if own.is_file() else 'uv'} pip install --python {sys.executable}"
