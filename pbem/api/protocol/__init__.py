"""What the endpoints of the API share.

All endpoints, those of features included, may call all of it. Begin with `endpoints`.

endpoints  one declaration for each operation: who may call it, what it reads, what it refuses
callers    authentication: a seat by its token, a spectator without one, a player by access token or account link
bodies     reading bodies and queries strictly
answers    what is answered, as JSON and as a schema; ETags and Cache-Control
problems   errors as application/problem+json; every code, and what a program does about it; addresses that are not
           there, and what pages of other sites may do here
headers    `Idempotency-Key`: sent again, done once; `If-Match`: changed only if it is still what the caller has seen
waiting    requests that wait for news, and streams
document   the OpenAPI document
generated  its schemas that are made by program: those of games, split by game, with titles and names of lists
"""
