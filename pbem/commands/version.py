"""Which pbem this is: for `pbem --version`, `pbem doctor`, and anyone who reports an error."""

import platform
from importlib.metadata import PackageNotFoundError, version

from pbem.models.schema.revisions import newest_schema


def describe() -> str:
    """Returns the version of the installed package, the schema that it brings, and the Python under it, in a line."""
    try:
        installed = version("pbem")
    except PackageNotFoundError:
        installed = "(not installed)"
    return f"pbem {installed}, schema {newest_schema()}, Python {platform.python_version()}"
