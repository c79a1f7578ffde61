"""Authentication: by the link of a seat, or by a personal access token.

seat_links     the seat that a link acts for, compared under the match's lock
                 confirmed_language
token_auth     authenticates a personal access token and finds its player's seat in the match
                 read, record_use
access_tokens  creating, listing and revoking a player's personal access tokens
                 make, list_tokens, read_token, revoke
idempotency    idempotency keys: a request is done once, and a retry gets the same answer
                 was_done
"""
