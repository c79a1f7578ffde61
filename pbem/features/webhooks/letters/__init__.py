"""The mail of webhooks.

webhook  a webhook was disabled
"""
