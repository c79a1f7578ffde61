"""Where the files are that come with the package and are not modules."""

from pathlib import Path

TEMPLATES = Path(__file__).resolve().parent / "templates"
"""The folders `web`, `mail` and `features`. In a checkout it is a link to `templates/` at the top."""
