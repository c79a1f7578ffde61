"""Draws the SVG of `pbem.kit.drawing` into pixels, with Skia, or with resvg where Skia cannot be imported.

markup          a document as tags, and what it defines: styles, symbols, gradients, clips
styles          the classes of a style sheet, and what an element inherits
elements        the elements and attributes that pictures know
sky             a colour that fades
fonts           the fonts that come with the program
renderer        which of the two draws in this process
skia_renderer   a document as Skia's pixels
    painter     draws it on a canvas
    shapes      what an element draws, with which paint
    lettering   a line of text, in a font that has its letters
resvg_renderer  a document as resvg's pixels
palette         the colours of a picture, fixed by those of its style sheets
encode          pixels as PNG

Callers use `encode.png`. Only the part of SVG that boards use is known; anything else raises ValueError, so nothing
vanishes from a picture unseen. What is computed for a tag, a line or a symbol is kept, within bounds: most of a board
is the same in the next one. Import this only where a picture is drawn: Skia and NumPy take 40 MB.
"""
