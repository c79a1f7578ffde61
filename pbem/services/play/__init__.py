"""A match in progress.

moves        answers questions, as the owners of the seats do; tries out a move before it is played
               answer, preview
decisions    applies moves: the one way in which a match advances, for seats, orders, the clock and bots
bots         plays the seats of bots
               is_any_asked, play_bots, play_thinkers, must_think
patience     lets a bot of a package think for so long and no longer, apart from the match
orders       what seats have ordered, and what it answers once they are asked
order_checks  checks the orders that a seat sends; what the rules refuse, as problems that name the rule
ordering     orders, as their owner reads, saves and stops them, and what they have done, in sentences
               read_orders, save_orders, add_order, add_lines, stop_orders, stop_order, note_read
takeback     what a seat can take back, and why not; takes it back, at once or with the consent of the others
               take_back, give_consent, withdraw, read_takeback, read_page, release_mail
timeouts     passed deadlines, windows that close, orders that answer, and lapsed invitations
               tick, beat_and_check_web, sweep_deadlines, expire, close, sweep_lapsed, follow_orders, follow_at_once
stand_ins    who plays for a player who is absent
               read_stand_in, choose_stand_in
voting       the table waits for a late player until it votes
               vote
presence     misses, absence, coming back, resigning, and the pause when nobody is active; what a player has seen
               mark_seen, come_back, resign
substitutes  taking over a seat that was left
               links, read_vacancy, ask, read_offer, language_and_zone, accept, sit_in
"""
