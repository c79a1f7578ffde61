"""Moves of pbem and of boardgame.io, in turn on the same PostgreSQL: `__main__` measures, `peer` runs the other one.

The peer is pinned by package.json and package-lock.json. `server.js` is boardgame.io with bgio-postgres as its manual
starts it, and `client.js` plays on it by the protocol of its own client.

make bench-peer
"""
