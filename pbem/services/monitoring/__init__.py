"""Whether the service works, and the alarm if it does not.

Probes, `pbem doctor` and metrics may call all of it. Begin with `health`.

health    the state of each part in a word, for the probe and `pbem doctor`
probes    database, schema, broker and queues, each asked within a bound; whether the database can store anything
backlog   what should have been done by now, and for how long it has been waiting; whether mail comes in and is read
failures  tasks that fail again and again
alarm     raises the alarm for mails that wait too long or cannot be rendered: one line in the log
          watch_mails
"""
