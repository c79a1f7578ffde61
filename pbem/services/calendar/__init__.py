"""When a player's time counts, and when a question's time is up. Nothing here knows a match.

calendar          the hours that count for a player: no holidays, no weekends off, no quiet hours
player_calendars  the calendars of players, read from the database
deadlines         how long a question may be thought about, and when the clock acts
reminder_times    when a player is reminded of an open question
heartbeats        whether the service is awake: the sweep and the web each leave a heartbeat
"""
