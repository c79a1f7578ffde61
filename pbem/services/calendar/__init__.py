"""When a player's clock runs, and when an ask's time is up. Nothing here knows about matches.

The other rooms of the services may call all of it. Begin with `deadlines`.

calendar     the hours that count for a player: no holidays, no free weekends, no quiet hours; read from the database
deadlines    how much time an ask allows, when the clock acts, and when a player is reminded
heartbeats   whether the service is up: the sweep and the web each record a heartbeat
"""
