"""`pbem inbound`: the one process that takes mail in, by LMTP and by IMAP, and sends the canary every hour.

The event loop talks LMTP, a thread empties the mailbox, another writes to the site itself. SIGTERM and SIGINT end it:
the mails in hand by LMTP are answered first; what the thread has kept and not yet moved it takes again later, as the
same row. Where no mail comes in the process waits for its end, so that it may always be started with the others.
"""

from __future__ import annotations

import asyncio
import signal
import sys
import threading

import structlog

from pbem import logs
from pbem.config import Config, config_of_process
from pbem.errors import Busy
from pbem.features.inbox.settings import INBOUND
from pbem.features.inbox.ways import canary
from pbem.features.inbox.ways.imap import Poller
from pbem.features.inbox.ways.lmtp import Lmtpd
from pbem.mail.send import Failure
from pbem.services.mail.sender import transport_for
from pbem.services.site import Site
from pbem.services.wakeup import open_with_broker

LOOK_S = 60.0
"""How often it is seen whether a canary is due."""

log = structlog.get_logger()


def serve_inbound(config: Config) -> None:
    """Takes mail in until a signal ends it; ends the process with a sentence if the LMTP server cannot listen."""
    logs.configure_logging(as_json=config.log_json)
    site = open_with_broker(config)
    try:
        asyncio.run(_serve_site(site))
    except OSError as error:
        sys.exit(f"Cannot listen at {config.group(INBOUND).lmtp}: {error.strerror or error}.")
    finally:
        site.counters.flush()
        site.engine.dispose()


async def _serve_site(site: Site) -> None:
    inbound, stopped, told = site.config.group(INBOUND), threading.Event(), asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, told.set)
    lmtpd = Lmtpd(site, inbound.lmtp) if inbound.lmtp is not None else None
    if lmtpd is not None:
        await lmtpd.start()
    # Daemons: a server that answers slowly does not keep the process from ending.
    if inbound.imap is not None:
        threading.Thread(target=Poller(site, inbound.imap, stopped).run, name="imap", daemon=True).start()
    if canary.sends_canaries(site.config):
        threading.Thread(target=_send_canaries, args=(site, stopped), name="canary", daemon=True).start()
    log.info("inbox.open", ways=list(inbound.intakes) or "none", lmtp=str(inbound.lmtp) if inbound.lmtp else None)
    await told.wait()
    stopped.set()
    if lmtpd is not None:
        await lmtpd.stop()


def _send_canaries(site: Site, stopped: threading.Event) -> None:
    """Sends a canary every hour."""
    while not stopped.is_set():
        try:
            with transport_for(site) as transport:
                canary.send_canary_if_due(site, transport)
        except (Busy, Failure, OSError) as error:
            log.warning("inbox.canary_not_sent", reason=type(error).__name__)
        stopped.wait(LOOK_S)


def main() -> None:
    """Runs it with the settings of the environment; ends with a sentence if they are wrong."""
    serve_inbound(config_of_process())


if __name__ == "__main__":
    main()
