// Pieces slide from where they lay in one drawing to where they lie in the next. Nothing is known of games here: a
// thing is the same where both drawings name it alike, by data-piece or data-token.
const NAMED = "[data-piece], [data-token]";
// When more than these lie elsewhere the table was cleared, when most do the whole picture was moved: nothing slides.
const MANY = 12;
const MOST = 0.5;
const STILL = matchMedia("(prefers-reduced-motion: reduce)");

// Where the things of each name lie, in the units of the drawing.
function places(svg) {
  const found = new Map();
  const screen = svg.getScreenCTM();
  if (!screen) return found;
  for (const piece of svg.querySelectorAll(NAMED)) {
    const name = piece.dataset.piece ? `piece ${piece.dataset.piece}` : `token ${piece.dataset.token}`;
    const box = piece.getBoundingClientRect();
    if (!box.width || !box.height) continue;
    if (!found.has(name)) found.set(name, []);
    found.get(name).push({
      piece,
      x: (box.x - screen.e) / screen.a,
      y: (box.y - screen.f) / screen.d,
      width: box.width / screen.a,
      parent: matrix(svg, piece.parentNode),
    });
  }
  return found;
}

const apart = (to, from) => Math.hypot(to.x - from.x, to.y - from.y) > 1;

// Of things that bear one name, those that lie where one lay are the same; the others are paired by their order.
function movedOf(news, olds) {
  const free = [...olds];
  const elsewhere = news.filter((to) => {
    const same = free.findIndex((from) => !apart(to, from));
    if (same >= 0) free.splice(same, 1);
    return same < 0;
  });
  return elsewhere.slice(0, free.length).map((to, i) => ({ to, from: free[i] }));
}

export class Slides {
  #known = new WeakMap();

  // Measures a drawing while there is time for it; where its things lie does not change in its own units.
  measure(svg) {
    if (STILL.matches) return undefined;
    if (!this.#known.has(svg)) this.#known.set(svg, places(svg));
    return this.#known.get(svg);
  }

  // Lets what lay elsewhere in the drawing before slide to where it lies now.
  show(svg, before, milliseconds) {
    const now = this.measure(svg);
    if (!now || svg === before) return;
    const olds = this.measure(before);
    const moved = [...now].flatMap(([name, things]) => movedOf(things, olds.get(name) ?? []));
    const both = [...now].reduce((sum, [name, things]) => sum + Math.min(things.length, olds.get(name)?.length ?? 0), 0);
    if (moved.length > Math.min(MANY, both * MOST)) return;
    for (const { to, from } of moved) slide(svg, to, from, milliseconds);
  }
}

// How the units of an element of the drawing lie in those of the drawing.
function matrix(svg, element) {
  const { a, b, c, d, e, f } = svg.getScreenCTM().inverse().multiply(element.getScreenCTM());
  return `matrix(${a} ${b} ${c} ${d} ${e} ${f})`;
}

// A copy slides above everything else, while the piece itself waits unseen where it will lie.
function slide(svg, to, from, milliseconds) {
  const copy = to.piece.cloneNode(true);
  delete copy.dataset.piece;
  delete copy.dataset.token;
  const placed = document.createElementNS(svg.namespaceURI, "g");
  placed.setAttribute("transform", to.parent);
  placed.append(copy);
  const moving = document.createElementNS(svg.namespaceURI, "g");
  moving.setAttribute("aria-hidden", "true");
  moving.setAttribute("class", "sliding");
  moving.append(placed);
  svg.append(moving);
  const scale = from.width / to.width;
  const start = `translate(${from.x - scale * to.x}px, ${from.y - scale * to.y}px) scale(${scale})`;
  to.piece.animate({ opacity: [0, 0] }, milliseconds);
  const motion = moving.animate({ transform: [start, "none"] }, { duration: milliseconds, easing: "ease-in-out" });
  motion.onfinish = () => moving.remove();
}
