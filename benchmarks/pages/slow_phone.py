"""A browser that is as slow as a mid-range phone on a slow mobile network, and what it measures of a page.

The network and the processor are those of Lighthouse's mobile runs (`core/config/constants.js`: `mobileSlow4G` has a
round trip of 150 ms and 1.6 Mbit/s; the processor is four times slower). Chromium delays each request by one round
trip; a network of its own would add those that open a connection.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from playwright.sync_api import Browser, StorageState

from benchmarks.pages.report import Visit

LATENCY_MS = 150
DOWN_BITS_S, UP_BITS_S = 1.6 * 1024 * 1024, 750 * 1024
SLOWER = 4
WAIT_MS = 120_000
_KIND = {"Document": "page", "Stylesheet": "style", "Script": "script", "Font": "font"}
WATCH = """
window.measured = { lcp: 0, shift: 0, tasks: [] };
const watch = (type, note) => new PerformanceObserver((list) => list.getEntries().forEach(note)).observe(
  { type, buffered: true });
watch("largest-contentful-paint", (entry) => { measured.lcp = entry.startTime; });
watch("layout-shift", (entry) => { measured.shift += entry.value; });
watch("longtask", (entry) => { measured.tasks.push([entry.startTime, entry.duration]); });
"""
READ = """async () => {
  await document.fonts.ready;
  await new Promise((done) => setTimeout(done, 1000));
  const fcp = performance.getEntriesByName("first-contentful-paint")[0].startTime;
  const blocked = measured.tasks.filter(([start]) => start > fcp).map(([, took]) => Math.max(0, took - 50));
  return { ...measured, fcp, blocked: blocked.reduce((sum, ms) => sum + ms, 0) };
}"""


def visit_page(browser: Browser, url: str, size: tuple[int, int], signed_in: StorageState | None = None) -> Visit:
    """Opens the page with an empty cache and returns what was measured until nothing more came."""
    context = browser.new_context(
        viewport={"width": size[0], "height": size[1]}, locale="en-GB", storage_state=signed_in,
        is_mobile=size[0] < 600, has_touch=size[0] < 600, service_workers="block",
    )  # fmt: skip
    try:
        context.set_default_timeout(WAIT_MS)
        context.add_init_script(WATCH)
        page = context.new_page()
        wire = context.new_cdp_session(page)
        sizes, kinds = Counter[str](), dict[str, str]()

        def came(done: dict[str, Any]) -> None:
            sizes[kinds.get(done["requestId"], "other")] += int(done["encodedDataLength"])

        def began(said: dict[str, Any]) -> None:
            kinds[said["requestId"]] = _KIND.get(said.get("type", ""), "other")

        wire.on("Network.requestWillBeSent", began)
        wire.on("Network.loadingFinished", came)
        wire.send("Network.enable")
        wire.send("Network.emulateNetworkConditions", {
            "offline": False, "latency": LATENCY_MS,
            "downloadThroughput": DOWN_BITS_S / 8, "uploadThroughput": UP_BITS_S / 8,
        })  # fmt: skip
        wire.send("Emulation.setCPUThrottlingRate", {"rate": SLOWER})
        answer = page.goto(url, wait_until="networkidle")
        if answer is None or answer.status != 200:
            raise RuntimeError(f"{url} answers {answer and answer.status}")
        read = page.evaluate(READ)
    finally:
        context.close()
    return Visit(
        first_paint_s=read["fcp"] / 1000, largest_paint_s=read["lcp"] / 1000, blocked_s=read["blocked"] / 1000,
        shift=read["shift"], requests=len(kinds), bytes_of=dict(sizes),
    )  # fmt: skip
