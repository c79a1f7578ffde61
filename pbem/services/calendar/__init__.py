"""When a player's clock runs, and when an ask's time is up. Nothing here knows about matches.

calendar          the hours that count for a player: no holidays, no free weekends, no quiet hours
player_calendars  the calendars of players, read from the database
deadlines         how much time an ask allows, and when the clock acts
reminder_times    when a player is reminded of an open ask
heartbeats        whether the service is up: the sweep and the web each record a heartbeat
"""
