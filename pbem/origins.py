"""From which site a browser sends a request, for pages and API alike."""

from typing import Literal
from urllib.parse import urlsplit

from flask import Request

Origin = Literal["own", "other", "unsaid"]


def origin_own_other_or_unsaid(request: Request, url: str) -> Origin:
    """Returns whether the request comes from our own pages, whose address is `url`, or from another site.

    `Sec-Fetch-Site` decides if the browser sends it, as all do over https and to this machine; otherwise `Origin`. A
    request with neither was not sent by a browser and carries nobody's cookies: it counts as our own. `Origin: null`
    is "unsaid": any page without a referrer sends it, ours or another site's.
    """
    fetched = request.headers.get("Sec-Fetch-Site")
    if fetched is not None:
        return "own" if fetched in ("same-origin", "none") else "other"
    origin = request.headers.get("Origin")
    if origin == "null":
        return "unsaid"
    ours = urlsplit(url)
    # A proxy that ends TLS may not have said so: the same host by https is this one.
    known = (None, f"{ours.scheme}://{ours.netloc}", request.host_url.rstrip("/"), f"https://{request.host}")
    return "own" if origin in known else "other"
