"""Whether the service works, and the alarm if it does not.

health    the figures for probes, metrics and `pbem doctor`
arrivals  whether mail comes in and is read
alarm     raises the alarm for mails that wait too long or cannot be rendered: one line in the log
          watch
"""
