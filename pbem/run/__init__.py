"""What runs the service: its processes, and the web server.

`pbem.cli` and the `Procfile` start it; `pbem doctor` asks `listening` where a site runs. Begin with
`embedded` for `pbem run`, and `server` for the web.

embedded     `pbem run`: the whole service as four or five processes under one
children     the child processes of `pbem run`
listening    the socket of the web; the data folder of a running `pbem run`: its lock, and the address
server       the web server: `python -m pbem.run.server`
reasons      what keeps a process from starting, in one sentence
connections  one connection of the web server, with its time limits
gateway      between the event loop and the application, which runs in threads
preloading   imports of much at once
reloading    packages of games that are edited while pbem runs
parking      those who wait for news, on the event loop
"""

import sys

# It comes with the tools of a checkout. structlog would load it, 6 MB, for tracebacks in colours, which nobody prints.
sys.modules.setdefault("rich", None)  # type: ignore[arg-type]  # as Python says that there is no such module
