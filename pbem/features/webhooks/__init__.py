"""Webhooks: URLs that are called when something happens.

Other features may bring a `SUBJECT` (`subjects`). Begin with `cursors`, which finds what has to be told, and
`list_calls`, which calls.

tables      webhooks, how far each has been told, and the calls that are due
registry    webhooks as their owners add, change and remove them
              add_webhook, change_webhook, remove_webhook, list_webhooks, read_webhook, list_calls, send_test_call,
              redeliver_call, list_all_webhooks, disable_webhook_as_host, enable_webhook_as_host
cursors     how far each webhook has been told about each match, and may be told now: not what its mails are held for
              has_active_webhooks, queue_calls_for_new_events
deliveries  makes the calls that are due, at least once
              deliver_due_calls, claim_call
payloads    the content of a call, built when it is made
              secret_of_webhook, request_of_call
subjects    what a webhook may be told about; what it may be about in place of matches, which features bring
chats       messages to chats, the forms in which Discord and Slack take them, and where
sheets      webhooks and their calls as their owner sees them
hooks       what this adds to erasure, changes of address, retention, the clock, metrics and `pbem doctor`: late calls
claims      what the log hides of them
tasks       has the calls made that are due
pages       a player's webhooks, and the box that leads there from their preferences
api         a player's webhooks, for programs
commands    `pbem webhook`
"""
