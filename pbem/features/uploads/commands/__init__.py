"""`pbem logs` and `pbem replay`.

logs    deletes uploaded logs
replay  the story of a portable log from a file
"""

from pbem.features.uploads.commands import logs, replay

COMMANDS = (logs.logs, replay.replay)
