"""Webhooks: addresses that are called when something happens.

registry    webhooks as their owners add, change and remove them
              add, change, remove, listed, read, deliveries, ping, redeliver, everybodys, stop, resume
kinds       what a webhook may be told, and in which form
cursors     how far each webhook has been told of each match
              sweep_marks
deliveries  making the calls that are due, at least once
              deliver, claim_call
payloads    what a call says, looked up when it is made
              secret_of, call_for
safe_http   calls to addresses that strangers have named: public ones only
sheets      webhooks and their calls as their owner sees them
"""
