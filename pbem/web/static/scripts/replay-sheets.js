// Boards that lie on one another, all but one unseen. To lay out a board takes longer than a step may; so the boards
// beside the present one are laid out while nothing happens, and a step just turns the sheet.
export class Sheets {
  #sheets = new Map();
  #at;

  constructor(board, n) {
    this.board = board;
    this.#at = n;
    if (board.firstElementChild) this.#sheets.set(n, board.firstElementChild);
  }

  get shown() {
    return this.#sheets.get(this.#at);
  }

  // Shows the board of this step; the drawing is needed only if it does not lie there yet.
  show(n, markup) {
    const before = this.shown;
    const sheet = this.#sheets.get(n) ?? this.#add(n, markup);
    this.#at = n;
    if (before === sheet) return;
    if (before) hide(before);
    unhide(sheet);
  }

  // The board of another step, laid out unseen.
  prepare(n, markup) {
    const sheet = this.#sheets.get(n) ?? this.#add(n, markup);
    sheet.getBoundingClientRect();
    return sheet;
  }

  // Takes away the boards of all steps but those near the one that is shown.
  tidy() {
    for (const [n, sheet] of this.#sheets) {
      if (Math.abs(n - this.#at) > 1) {
        sheet.remove();
        this.#sheets.delete(n);
      }
    }
  }

  #add(n, markup) {
    const parsed = document.createElement("template");
    parsed.innerHTML = apart(markup, n);
    const sheet = document.importNode(parsed.content.firstElementChild, true);
    document.dispatchEvent(new CustomEvent("pbem:drawn", { detail: sheet }));
    hide(sheet);
    this.board.append(sheet);
    this.#sheets.set(n, sheet);
    return sheet;
  }
}

// What a drawing defines for itself bears the step's number: several lie in one page, and what an unseen one defines
// (a window that its map is seen through) shows nothing.
function apart(markup, n) {
  const own = new Set([...markup.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id));
  return markup.replace(/( id="|url\(#|href="#)([^")]+)/g, (all, before, id) => (own.has(id) ? `${all}-${n}` : all));
}

// An unseen sheet is there for nobody: not for the eye, not for a reader, not for the tab key.
function hide(sheet) {
  sheet.classList.add("off");
  sheet.setAttribute("aria-hidden", "true");
  for (const left of sheet.querySelectorAll(".sliding")) left.remove();
  for (const reached of sheet.querySelectorAll("[tabindex='0']")) reached.tabIndex = -1;
}

function unhide(sheet) {
  sheet.classList.remove("off");
  sheet.removeAttribute("aria-hidden");
  for (const left of sheet.querySelectorAll("[tabindex='-1']")) left.tabIndex = 0;
}
