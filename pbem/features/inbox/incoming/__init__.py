"""Mail that comes in, read: who sent it, whether a person did, and what it asks for. No database, no network, no clock.

Others call `read_message`, `read_reply` and `verify`. Begin with `message`.

message     a mail's bytes as the few things that matter of it, and whether a program sent it
headers     the values of its headers, whatever a sender has put there
bodies      the text of its parts and of HTML, whatever their encoding; both versions where they differ
styles      what of a page can be seen
characters  what can be seen of a text, and of bytes
reports     what mail servers and providers report: bounces and complaints
cutting     what somebody typed, without what they quote and without their signature
phrases     greetings, thanks and closings, which do not matter, and the words that take something back
commands    what is typed, as commands; none where there is any doubt
verdicts    whether a mail may act for its author: its signatures, and the policy of its author's domain
results     what our own mail server says of a mail, and the fields that verdicts rest on
"""
