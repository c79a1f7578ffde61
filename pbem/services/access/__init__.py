"""Authentication: by the link of a seat, or by a personal access token.

Each use case of a seat calls `seat_links` under the match's lock; the API calls `access_tokens` for a token, and pages
and API call `idempotency` for requests that create something. Begin with `seat_links`.

seat_links     the seat that a link acts for, compared under the match's lock
                 language_of_link_holder
access_tokens  creating, listing and revoking a player's personal access tokens, and what one opens
                 create_token, list_active_tokens, read_active_token, revoke_token, authenticate, record_use
idempotency    idempotency keys: a request is done once, and a retry gets the same answer
                 was_request_done
"""
