"""Mail that comes back.

intake       keeps a mail before it is acknowledged
               take_in
"""
