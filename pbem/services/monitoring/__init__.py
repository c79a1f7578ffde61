"""Whether the service does its work, and the alarm where it does not.

health  what probes, metrics and `pbem doctor` are told
alarm   mails that wait too long or cannot be rendered: one line in the log
          watch
"""
