"""Web Push: notifications on the devices that asked for them.

The mail's sender asks `ahead` by a hook. Begin with `subscriptions`.

tables         the subscriptions of devices
settings       what a host may set
subscriptions  devices as they subscribe to a seat, stop, and open what they were shown; the site's key
                 subscribe_device, unsubscribe_device, note_opened
notices        what a notification says, and until when it is worth sending
                 notice_for, opaque_name_of_mail
ahead          notifies a reader's devices ahead of a mail, all those of a seat
                 prepare, send, notify_devices, delay_of_mail
hooks          what this adds to mails, erasure, retention, the clock and metrics
pages          what the page of a seat and its service worker ask for, and what the page shows
"""
