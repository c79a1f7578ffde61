"""A match while it is played.

Only `pbem.api` imports its endpoints. Begin with `moves`.

moves     the caller's open question with its legal moves, the answer to it, trying a move before it is played
orders    what the caller's seat has said beforehand about questions to come
acts      coming back, who plays for an absent player, resigning, voting on a late seat; taking a move back, and what
          others say to it; table talk, and the caller's own note
"""
