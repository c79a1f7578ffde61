"""How often one place may have pictures drawn, and fetch them."""

from pbem.errors import N_
from pbem.limits import Account

DRAWINGS_PER_HOUR = 30
"""How many pictures of replays one place may have drawn: each keeps a worker busy for seconds."""

DRAWINGS = Account(
    "drawings",
    DRAWINGS_PER_HOUR,
    N_("Too many pictures were requested from your network within the hour. The next one can be made in %(time)s."),
)

FILES_PER_HOUR = 300
"""How often one place may fetch a picture that was drawn: each has up to 8 MB."""

FILES = Account(
    "files",
    FILES_PER_HOUR,
    N_("Too many pictures were requested from your network within the hour. Please wait."),
)
