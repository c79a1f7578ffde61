"""A match in progress.

Pages, API, incoming mail and workers may call the use cases below; each of them moves by `decisions`. Begin with
`moves`.

moves        answers questions, as the owners of the seats do; tries out a move before it is played
               play_answer, preview_move
decisions    applies moves: the one way in which a match advances, for seats, orders, the clock and bots
bots         plays the seats of bots
               is_any_bot_asked, play_quick_bots, play_thinkers, is_any_thinker_asked
patience     lets a bot of a package think for so long and no longer, apart from the match
orders       what seats have ordered, and what it answers once they are asked
order_checks  checks the orders that a seat sends; what the rules refuse, as problems that name the rule
ordering     orders, as their owner reads, saves and stops them, and what they have done, in sentences
               read_orders, save_orders, add_order, add_lines_before_other_orders, stop_orders, stop_order,
               forget_read_news
takeback     what a seat can take back, and why not; takes it back, at once or with the consent of the others
               take_back, answer_takeback_request, withdraw_request, read_takeback, read_seat_page, release_held_mails
timeouts     passed deadlines, windows that close, orders that answer, and lapsed invitations
               beat_and_sweep_deadlines_if_web_up, beat_and_check_web, sweep_deadlines, answer_expired_ask,
               close_window_if_due, cancel_lapsed_matches, let_orders_answer, let_undelayed_orders_answer
stand_ins    who plays for a player who is absent
               read_stand_in, choose_stand_in
voting       the table waits for a late player until it votes
               vote_to_let_clock_move
presence     misses, absence, coming back, resigning, and the pause when nobody is active; what a player has seen
               mark_entries_seen, end_own_absence, resign
substitutes  taking over a seat that was left
               substitute_links_by_seat, read_vacancy, ask_for_seat, read_offer, language_and_zone, accept_offer,
               take_seat_at_once
"""
