"""Headers by which browsers, search engines and caches keep links secret and pages harmless."""

from flask import Flask, Response, g, request

POLICY = {
    "default-src": "'none'",
    "style-src": "'self'",
    "script-src": "'self'",
    "worker-src": "'self'",
    "img-src": "'self'",
    "font-src": "'self'",
    "manifest-src": "'self'",
    "connect-src": "'self'",
    "form-action": "'self'",
    "base-uri": "'none'",
    "frame-ancestors": "'none'",
}


def policy(**changed: str) -> str:
    """Returns the content security policy with some directives changed: `policy(frame_src="'self'")`."""
    directives = POLICY | {name.replace("_", "-"): value for name, value in changed.items()}
    return "; ".join(f"{name} {value}" for name, value in directives.items())


_POLICY = policy()


def keep_private() -> None:
    """Marks the answer as private: nobody stores it."""
    g.private = True


def keep_unlisted() -> None:
    """Keeps the answer out of search engines; anyone with its address may read and store it."""
    g.unlisted = True


def init_app(app: Flask) -> None:
    """Adds the headers to every answer, unless the view has set them."""
    app.after_request(_headers)


def _headers(response: Response) -> Response:
    put = response.headers.setdefault
    put("Content-Security-Policy", _POLICY)
    put("X-Content-Type-Options", "nosniff")
    put("Referrer-Policy", "no-referrer")
    if "token" in (request.view_args or {}) or g.get("private"):
        response.headers["Cache-Control"] = "no-store"
        put("X-Robots-Tag", "noindex")
    elif g.get("unlisted"):
        put("X-Robots-Tag", "noindex")
    if "Cache-Control" not in response.headers and response.mimetype == "text/html":
        put("Cache-Control", "no-cache")
        response.vary.update(("Cookie", "Accept-Language"))
    return response
