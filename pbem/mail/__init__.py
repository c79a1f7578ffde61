"""Text <-> mail: what a letter says, how it is put together, how it leaves, where it lands. No database.

letters   what every mail has, the parts of several letters, and what makes a kind of mail
harmless  what players typed, made unable to pose as more
mime      the parts and headers of a mail as bytes
compose   a letter as the mail that leaves: its words, out of `templates/mail`, and its picture
send      the way out: a relay, or the mailbox of this machine
refusals  what the answer of a mail server means
mailbox   the mailbox of this machine
"""
