"""Mail that comes in, read: who sent it, whether a person did, and what it asks for. No database, no network, no clock.

message     a mail's bytes as the few things that matter of it
headers     the values of its headers, whatever a sender has put there
bodies      the text of its parts, whatever their encoding; both versions where they differ
characters  what can be seen of a text, and of bytes
webtext     the text of HTML, with quotes marked as quotes
styles      what of a page can be seen
automatic   whether a program sent it, so that nobody answers it
reports     what mail servers and providers report: bounces and complaints
cutting     what somebody typed, without what they quote and without their signature
phrases     greetings, thanks and closings, which do not matter, and the words that take something back
moves       which texts are moves, with a bound on how often the game is asked
commands    what is typed, as commands; none where there is any doubt
verdicts    whether a mail may act for its author
results     what our own mail server says of a mail
signatures  the signatures of a mail, and the policy of its author's domain
head        the fields that verdicts rest on
"""
