"""What the endpoints of the API share.

endpoints      one declaration for each operation: who may call it, what it reads and gives, what it refuses
callers        authentication: a seat by its token, a spectator without one, a player by access token or account link
bodies         reading bodies and queries strictly
problems       errors as application/problem+json
codes          every code of a problem: what it means, what a program does about it
headers        request headers in the OpenAPI document
idempotency    `Idempotency-Key`: sent again, done once
preconditions  `If-Match`: changed only if it is still what the caller has seen
answers        what is answered, as JSON and as a schema; ETags and Cache-Control
waiting        requests that wait for news, and streams
cors           what pages of other sites may do here
language       the language in which a request is answered
document       the OpenAPI document
generated      JSON schemas of moves, events, options and states, from each game's `meta`
per_game       schemas split by game
named_schemas  a title of its own for each schema, and a name for each list of words
"""
