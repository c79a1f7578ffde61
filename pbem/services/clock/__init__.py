"""The clock of a match: when it starts, stands still and moves.

clock_start    the clock starts when the mail has left
outages        the service was asleep: every clock gets the time back
                 beat, record_heartbeat, note_by_hand
web_heartbeat  each web process tells that it is awake
                 start, beat
rescheduling   deadlines moved when a player's calendar changes
holidays       a player's holidays, weekends and quiet hours
                 read_calendar, announce, take_back, set_hours
"""
