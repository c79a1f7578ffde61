// The boards of the steps, loaded some at a time and kept. `load(from)` tells those from one on, with their symbols.
const CHUNK = 100;
const AHEAD = 40;

export class Frames {
  #asked = new Map();
  #boards = new Map();

  constructor(last, load) {
    this.last = last;
    this.load = load;
  }

  // The board of a step, if it is there already.
  ready(n) {
    return this.#boards.get(n);
  }

  // The board of a step. Rejects if it cannot be had.
  async get(n) {
    await this.#chunk(n);
    return this.#boards.get(n);
  }

  // Fetches what will be wanted soon; what fails now is asked for again when it is wanted.
  prefetch(n) {
    for (const soon of [n, n + AHEAD, n - AHEAD]) {
      if (soon >= 1 && soon <= this.last) this.#chunk(soon).catch(() => {});
    }
  }

  #chunk(n) {
    const from = n - ((n - 1) % CHUNK);
    if (!this.#asked.has(from)) {
      const coming = this.#load(from);
      coming.catch(() => this.#asked.delete(from));
      this.#asked.set(from, coming);
    }
    return this.#asked.get(from);
  }

  async #load(from) {
    const told = await this.load(from);
    define(told.symbols);
    for (const frame of told.frames) this.#boards.set(frame.n, frame.svg);
  }
}

// Puts those symbols into the page that it has not defined for what it shows at first.
export function define(markup) {
  const drawn = new DOMParser().parseFromString(markup, "text/html");
  const defined = document.querySelector("svg.defs");
  for (const symbol of drawn.querySelectorAll("symbol")) {
    if (!document.getElementById(symbol.id)) defined.append(document.importNode(symbol, true));
  }
}
