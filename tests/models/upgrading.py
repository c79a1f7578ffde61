"""A migration that comes after those that there are."""

from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from pbem.models import engine as models

FRAME = """
    import sqlalchemy as sa
    from alembic import op

    revision, down_revision, branch_labels, depends_on = {revision!r}, {before!r}, None, None
    {mark}

    def upgrade():
        {what}
"""


@pytest.fixture
def later(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Returns a function that adds a migration behind the newest one, as a later version of pbem would."""
    folder = tmp_path / "migrations"
    folder.mkdir()
    for one in models.MIGRATIONS.iterdir():
        (folder / one.name).symlink_to(one) if one.name != "versions" else (folder / "versions").mkdir()
    for one in models.VERSIONS.glob("*.py"):
        (folder / "versions" / one.name).symlink_to(one)
    monkeypatch.setattr(models, "MIGRATIONS", folder)
    newest = [max(path.name.partition("_")[0] for path in models.VERSIONS.glob("0*.py"))]

    def add(what: str, *, mark: str = "") -> str:
        revision = f"{int(newest[-1]) + 1:04}"
        source = dedent(FRAME).format(revision=revision, before=newest[-1], what=what, mark=mark)
        (folder / "versions" / f"{revision}_later.py").write_text(source)
        newest.append(revision)
        return revision

    return add
