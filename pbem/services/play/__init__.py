"""A match while it is played.

moves        the one way in which a match goes on, for a seat, the clock and a bot alike
               answer, apply_move, play_fallback
previews     a move tried before it is played
               preview
bots         seats that programs fill
               play_bots
timeouts     deadlines that pass, invitations that lapse
               tick, awake, sweep_deadlines, expire, sweep_lapsed
voting       a late player is waited for until the table votes
               vote
presence     misses, absence, coming back, resigning, and the pause when nobody is there
               come_back, taken_over, resign
substitutes  taking over a seat that was left
               links, read_vacancy, ask, read_offer, known, accept, sit_in
"""
