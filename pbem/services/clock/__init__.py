"""The clock of a match: when it starts, stops and is moved.

clock_start    starts the clocks when the mail has left
outages        gives clocks the time back after the service was down
                 beat, record_heartbeat, is_settled, note_by_hand, hold_unavailable
setbacks       what follows when the clock was set back
                 mend_times
web_heartbeat  each web process records that it is up
                 start, beat
holidays       a player's holidays, weekends and quiet hours, and how deadlines move when these change
                 read_calendar, announce, take_back, set_hours
"""
