"""Who acts: by the link of a seat, or by a personal token.

seat_links     the seat that a link acts for, compared under the match's lock
                 confirmed_language
token_auth     who comes with a personal token, and where they sit
                 read, used
access_tokens  personal tokens as their player makes, sees and revokes them
                 make, listed, one, revoke
idempotency    requests with a key: done once, answered again as they were
                 known
"""
