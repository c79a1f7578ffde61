"""`pbem inbox` and `pbem inbound`.

inbox    the mails that have come in, why they were not acted on, and reading one again
inbound  the process that takes mail in
"""

from pbem.features.inbox.commands import inbound, inbox

COMMANDS = (inbox.inbox, inbound.inbound)
