"""The files that `pbem new-game` writes: a package with Pig in it, in which the new game's names are put."""

import re
from collections.abc import Iterator
from importlib.resources import files
from importlib.resources.abc import Traversable


def files_of_new_game(slug: str, module: str) -> Iterator[tuple[str, str]]:
    """Yields the path and the text of each file of a new game. `module`: what Python calls its package."""
    title = slug.replace("-", " ").title()
    for path, file in _walk_files(files(__name__), ""):
        text = file.read_text(encoding="utf-8").replace("PigGame", f"{title.replace(' ', '')}Game")
        text = re.sub(r'"pig(?=:GAME"|"\])', f'"{module}', text)
        text = re.sub(r"\bpig\b", slug, re.sub(r"\b(Pig|Cochon)\b", title, text))
        yield re.sub(r"(?<![a-z])pig(?![a-z])", module, path), text


def _walk_files(folder: Traversable, path: str) -> Iterator[tuple[str, Traversable]]:
    """Yields the files below the folder with their paths in it; not this module."""
    for one in folder.iterdir():
        if one.is_dir() and one.name != "__pycache__":
            yield from _walk_files(one, f"{path}{one.name}/")
        elif one.is_file() and f"{path}{one.name}" != "__init__.py":
            yield f"{path}{one.name}", one
