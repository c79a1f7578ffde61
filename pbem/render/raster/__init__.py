"""Draws the SVG of `pbem.kit.drawing` into pixels, with Skia, or with resvg where Skia cannot be imported.

encode          pixels as PNG, with colours fixed by those of the style sheets; which of the two draws in this process
skia_renderer   a document as Skia's pixels
    shapes      what an element draws, with which paint
    lettering   a line of text, in a font that has its letters
resvg_renderer  a document as resvg's pixels
elements        a document as tags; the elements and attributes that pictures know
styles          the classes of a style sheet, what an element inherits, and a colour that fades
fonts           the fonts that come with the program

Callers use `encode.render_png`. Only the part of SVG that boards use is known; anything else raises ValueError,
so nothing
vanishes from a picture unseen. What is computed for a tag, a line or a symbol is kept, within bounds: most of a board
is the same in the next one. Import this only where a picture is drawn: Skia and NumPy take 40 MB.
"""
