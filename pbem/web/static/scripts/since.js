// Lets what the others did since the reader's own last move slide by on the board: once in this browser, until the
// reader touches anything, and not at all for whoever wants no motion. What slides lies on top of the real board.
import { entries, writeEntry } from "./stored.js";

const STORED = "pbem.since";
const BEFORE_MS = 500;
const STEP_MS = 900;
const SLIDE_MS = 450;
const SHAPES = ["portrait", "landscape", "low"];
const STILL = matchMedia("(prefers-reduced-motion: reduce)");

let stop = () => {};

// The last entry that the match has shown in this browser before; from now on it is this one.
function shown(name, last) {
  const before = entries(STORED)[name] ?? 0;
  writeEntry(STORED, name, Math.max(before, last));
  return before;
}

async function start() {
  stop();
  const board = document.querySelector("#main > .board[data-since]");
  if (!board || document.hidden) return; // in the dark nobody sees it: it waits until the page is looked at
  const { name, since, first, last } = board.dataset;
  const after = Math.max(Number(first), shown(name, Number(last)));
  if (after >= Number(last) || STILL.matches) return;
  const under = [...board.children].find((svg) => svg.getClientRects().length);
  if (!under) return;
  const gone = new AbortController();
  stop = () => gone.abort();
  listen(gone);
  const url = new URL(since, location.href);
  url.searchParams.set("after", after);
  url.searchParams.set("shape", SHAPES.find((shape) => under.classList.contains(shape)) ?? SHAPES[0]);
  try {
    const [answer, { define }, { Sheets }, { Slides }] = await Promise.all([
      fetch(url, { cache: "no-store", credentials: "same-origin", signal: gone.signal }),
      import("./replay-frames.js"),
      import("./replay-sheets.js"),
      import("./replay-slide.js"),
    ]);
    const { symbols, frames } = answer.ok ? await answer.json() : { frames: [] };
    if (frames.length < 2 || gone.signal.aborted) return;
    define(symbols);
    slide(cover(board, under, gone), new Slides(), Sheets, frames, gone);
  } catch (error) {
    if (error.name !== "AbortError" && !(error instanceof TypeError)) throw error; // without a line nothing slides
  }
}

// Whatever the reader does, they want to play: what slides goes away. Escape takes back nothing besides.
function listen({ signal }) {
  const touched = (event) => {
    if (event.key === "Escape") event.stopImmediatePropagation();
    stop();
  };
  for (const act of ["click", "keydown"]) addEventListener(act, touched, { signal, capture: true });
}

// What lies exactly over the board, at its size.
function cover(board, under, gone) {
  const laid = document.createElement("div");
  laid.className = "since";
  const boards = document.createElement("div");
  boards.ariaHidden = "true";
  laid.append(boards);
  const [out, at] = [board.getBoundingClientRect(), under.getBoundingClientRect()];
  const rim = getComputedStyle(under);
  const px = (...names) => names.reduce((sum, name) => sum + parseFloat(rim[name]), 0);
  laid.style.left = `${at.left - out.left - board.clientLeft + px("borderLeftWidth", "paddingLeft")}px`;
  laid.style.top = `${at.top - out.top - board.clientTop + px("borderTopWidth", "paddingTop")}px`;
  laid.style.width = `${at.width - px("borderLeftWidth", "borderRightWidth", "paddingLeft", "paddingRight")}px`;
  laid.style.height = `${at.height - px("borderTopWidth", "borderBottomWidth", "paddingTop", "paddingBottom")}px`;
  board.append(laid);
  gone.signal.addEventListener("abort", () => laid.remove());
  offerSkip(board.dataset.skip, gone);
  return boards;
}

// The button for those who look for one has the place of the deadline, which comes back when it goes: nothing moves.
function offerSkip(words, { signal }) {
  const due = document.querySelector("#main .due");
  const skip = Object.assign(document.createElement("button"), { type: "button", className: "link skip-slide" });
  skip.textContent = words;
  const said = [...due.childNodes];
  due.replaceChildren(skip);
  signal.addEventListener("abort", () => due.replaceChildren(...said));
}

async function slide(boards, slides, Sheets, frames, { signal }) {
  const sheets = new Sheets(boards, 0);
  sheets.show(0, frames[0]);
  await rest(BEFORE_MS);
  for (const [n, markup] of frames.entries()) {
    if (signal.aborted) return;
    if (!n) continue;
    const before = sheets.shown;
    slides.measure(before);
    sheets.show(n, markup);
    slides.show(sheets.shown, before, SLIDE_MS);
    await rest(STEP_MS);
    sheets.tidy();
  }
  stop();
}

const rest = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));

document.addEventListener("pbem:shown", start);
document.addEventListener("visibilitychange", () => (document.hidden ? stop() : start()));
start();
