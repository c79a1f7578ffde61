"""What a game says and draws, as readers see it.

rulebooks   the numbers of rules, in code, texts and both rulebooks
texts       what is missing, alike, too long or not translated
languages   what is the same in both languages, or in the other one
wording     what no text has, whatever it says
boards      the drawn boards, on pages and as pictures
layout      where words and links lie in a drawing
sight       which words are seen in a picture
"""
