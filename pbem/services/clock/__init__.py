"""The clock of a match: when it starts, stops and is moved.

Workers call `outages` and `setbacks`, pages and API call `holidays`. Begin with `outages`.

outages        gives clocks the time back after the service was down
                 beat_and_apply_outages, record_heartbeat, is_settled, record_outage_by_hand,
                 hold_or_resume_unavailable_matches
setbacks       what follows when the clock was set back
                 correct_future_times
web_heartbeat  each web process records that it is up
                 start_web_heartbeat, beat_once
holidays       a player's holidays, weekends and quiet hours, and how deadlines move when these change
                 read_calendar, add_holiday, cancel_holiday, set_clock_hours
"""
