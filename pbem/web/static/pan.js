// Moves and enlarges a map behind its window: buttons, arrow keys, + and -, drag, pinch, wheel with Ctrl.
// Without it the whole map is shown. What the reader looks at stays when the board is redrawn.
const SVG = "http://www.w3.org/2000/svg";
const STEP = 1.5;
const LARGEST = 1.5; // board units a map unit
const SLIDE = 60; // board units an arrow key
const RING = 7; // room for the ring around what has the focus
const BASELINE = 4; // below the middle of a row stands its number
const GLYPHS = ["M20,11 v16 M12,19 h16", "M12,19 h16", "M13,16 v-5 h5 M22,11 h5 v5 M27,22 v5 h-5 M18,27 h-5 v-5"];

// The scale and the point of the map in the middle of the window; null while the whole map is shown.
let view = null;
let board = null;
const boards = new WeakMap(); // those that are ready: a replay shows one again
let dragged = false;
const fingers = new Map();

const make = (name, attributes) => {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
};
// To write what stands there already costs the browser as much as to write something new.
const set = (element, name, value) => {
  if (element.getAttribute(name) === value) return;
  if (value === null) element.removeAttribute(name);
  else element.setAttribute(name, value);
};
const between = (least, value, most) => Math.min(Math.max(value, least), most);

function read(svg) {
  const frame = svg.querySelector("[data-pan]");
  const map = frame.lastElementChild;
  const box = svg.querySelector("clipPath rect");
  const [x, y, wide, high] = frame.dataset.pan.split(" ").map(Number);
  const at = map.transform.baseVal.consolidate().matrix;
  const home = { s: at.a, x: at.e, y: at.f };
  const [left, top, w, h] = ["x", "y", "width", "height"].map((name) => Number(box.getAttribute(name)));
  const rulers = [...svg.querySelectorAll("[data-ruler]")].map((ruler) => {
    const axis = ruler.dataset.ruler;
    const low = axis === "y" ? BASELINE : 0;
    const marks = [...ruler.children].map((mark) => {
      const first = mark.getAttribute(axis);
      return { mark, first, at: (Number(first) - low - home[axis]) / home.s };
    });
    return { axis, low, marks };
  });
  return { svg, frame, map, home, rulers, words: frame.dataset.words.split("|"),
    all: { x, y, w: wide, h: high }, seen: { x: left, y: top, w, h } };
}

// --- what is shown ---

function show({ map, frame, home, rulers, seen, buttons } = board) {
  const at = view ? { s: view.s, ...corner() } : home;
  set(map, "transform", `translate(${at.x.toFixed(2)},${at.y.toFixed(2)}) scale(${at.s.toFixed(4)})`);
  for (const { axis, low, marks } of rulers) {
    const [from, size] = axis === "x" ? [seen.x, seen.w] : [seen.y, seen.h];
    for (const { mark, first, at: own } of marks) {
      const place = at[axis] + at.s * own;
      set(mark, axis, view ? (place + low).toFixed(2) : first);
      set(mark, "visibility", place < from + 4 || place > from + size - 4 ? "hidden" : null);
    }
  }
  frame.style.touchAction = view ? "none" : "pan-x pan-y";
  frame.style.cursor = view ? "grab" : "";
  set(buttons[0], "aria-disabled", String(at.s >= LARGEST - 0.001));
  for (const button of buttons.slice(1)) set(button, "aria-disabled", String(!view));
  for (const button of buttons) stand(button, button.getAttribute("aria-disabled") !== "true");
}

// What can be pressed stands up; what cannot lies flat.
function stand(button, up) {
  const [foot, plate, glyph] = button.children;
  set(foot, "class", up ? "ib" : "n");
  set(plate, "class", up ? "pa" : "pa ln");
  set(glyph, "class", up ? "il" : "ln");
}

// Where the map's origin lies; the middle is kept so that the window shows no more than a little beside the map.
function corner() {
  const { seen, all } = board;
  const place = (axis, size) => {
    const half = seen[size] / 2 / view.s;
    const spare = Math.min(half, 30 / view.s);
    const [least, most] = [all[axis] + half - spare, all[axis] + all[size] - half + spare];
    view[axis] = least > most ? all[axis] + all[size] / 2 : between(least, view[axis], most);
    return seen[axis] + seen[size] / 2 - view.s * view[axis];
  };
  return { x: place("x", "w"), y: place("y", "h") };
}

const middle = () => ({ x: board.seen.x + board.seen.w / 2, y: board.seen.y + board.seen.h / 2 });

// Enlarges around a point of the board, which stays where it is.
function zoom(by, point = middle()) {
  const { home } = board;
  const old = view ? { s: view.s, ...corner() } : home;
  const s = between(home.s, old.s * by, LARGEST);
  const [mx, my] = [(point.x - old.x) / old.s, (point.y - old.y) / old.s];
  const { x, y } = middle();
  view = s <= home.s * 1.001 ? null : { s, x: mx + (x - point.x) / s, y: my + (y - point.y) / s };
  show();
}

function slide(dx, dy) {
  if (!view) return;
  view.x -= dx / view.s;
  view.y -= dy / view.s;
  show();
}

const whole = () => {
  view = null;
  show();
};

// --- what the reader does ---

function onBoard(event) {
  const point = new DOMPoint(event.clientX, event.clientY);
  return point.matrixTransform(board.svg.getScreenCTM().inverse());
}

function press(event) {
  if (event.pointerType === "mouse" && event.button) return;
  if (fingers.size === 0) dragged = false;
  fingers.set(event.pointerId, onBoard(event));
}

function move(event) {
  const old = fingers.get(event.pointerId);
  if (!old) return;
  const now = onBoard(event);
  const others = [...fingers].filter(([id]) => id !== event.pointerId).map(([, point]) => point);
  if (others.length === 1) {
    const [other] = others;
    const apart = (a) => Math.hypot(a.x - other.x, a.y - other.y);
    dragged = true;
    if (apart(old) > 4) zoom(apart(now) / apart(old), { x: (now.x + other.x) / 2, y: (now.y + other.y) / 2 });
    slide((now.x - old.x) / 2, (now.y - old.y) / 2);
  } else if (view && (dragged || Math.hypot(now.x - old.x, now.y - old.y) > 5)) {
    if (!dragged) board.frame.setPointerCapture?.(event.pointerId);
    dragged = true;
    slide(now.x - old.x, now.y - old.y);
  } else {
    return;
  }
  fingers.set(event.pointerId, now);
}

const release = (event) => fingers.delete(event.pointerId);

function key(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const slides = { ArrowLeft: [1, 0], ArrowRight: [-1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key];
  if (slides && view) slide(slides[0] * SLIDE, slides[1] * SLIDE);
  else if (event.key === "+" || event.key === "=") zoom(STEP);
  else if (event.key === "-" && view) zoom(1 / STEP);
  else if (event.key === "0" && view) whole();
  else return;
  event.preventDefault();
  event.stopPropagation();
}

// A cell that gets the focus comes into the window.
function reveal(event) {
  if (!view || event.target === board.place) return;
  const { seen, svg } = board;
  const box = event.target.getBoundingClientRect();
  const inverse = svg.getScreenCTM().inverse();
  const a = new DOMPoint(box.left, box.top).matrixTransform(inverse);
  const b = new DOMPoint(box.right, box.bottom).matrixTransform(inverse);
  const into = (from, to, start, size) => {
    if (from < start + RING) return start + RING - from;
    return Math.min(0, start + size - RING - to);
  };
  slide(into(a.x, b.x, seen.x, seen.w), into(a.y, b.y, seen.y, seen.h));
  // The browser has scrolled to where it was before.
  event.target.scrollIntoView({ block: "nearest", inline: "nearest" });
}

// --- a board that has just been drawn ---

function button({ svg, seen, words }, i, act) {
  const made = make("g", { role: "button", tabindex: 0, "aria-label": words[i], cursor: "pointer",
    transform: `translate(${seen.x + seen.w - 134 + 44 * i},${seen.y + seen.h + 3})` });
  made.append(make("rect", { class: "ib", width: 40, height: 40, rx: 6 }),
    make("rect", { class: "pa", x: 2, y: 2, width: 36, height: 32, rx: 4 }),
    make("path", { class: "il", d: GLYPHS[i], "stroke-width": 2.5, "stroke-linecap": "round", fill: "none" }));
  const go = () => made.getAttribute("aria-disabled") !== "true" && act();
  made.addEventListener("click", go);
  made.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    event.stopPropagation();
    go();
  });
  svg.append(made);
  return made;
}

function start() {
  const svg = document.querySelector(".board > svg:not(.off):has([data-pan])");
  if (!svg || svg === board?.svg) return;
  fingers.clear();
  board = boards.get(svg) ?? ready(svg);
  if (view && view.s <= board.home.s) view = null;
  show();
}

// A board that can be moved, as soon as it is shown.
function ready(svg) {
  const made = read(svg);
  boards.set(svg, made);
  const { frame, seen, words } = made;
  svg.setAttribute("role", "group");
  svg.querySelector("[data-larger]")?.remove();
  made.place = make("rect", { x: seen.x, y: seen.y, width: seen.w, height: seen.h, fill: "none",
    "pointer-events": "all", tabindex: 0, role: "group", "aria-label": words[3] });
  frame.prepend(made.place);
  const acts = [() => zoom(STEP), () => zoom(1 / STEP), whole];
  made.buttons = acts.map((act, i) => button(made, i, act));
  const listen = { pointerdown: press, pointermove: move, pointerup: release, pointercancel: release, keydown: key,
    focusin: reveal, dragstart: (event) => event.preventDefault() };
  for (const [name, act] of Object.entries(listen)) frame.addEventListener(name, act);
  frame.addEventListener("lostpointercapture", release);
  frame.addEventListener("wheel", (event) => {
    if (!event.ctrlKey) return;
    event.preventDefault();
    zoom(Math.exp(-event.deltaY / 200), onBoard(event));
  }, { passive: false });
  // The end of a drag is no choice.
  frame.addEventListener("click", (event) => {
    if (!dragged) return;
    event.preventDefault();
    event.stopPropagation();
    dragged = false;
  }, { capture: true });
  if (!view) show(made);
  return made;
}

start();
document.addEventListener("pbem:drawn", ({ detail: svg }) => svg.querySelector("[data-pan]") && ready(svg));
document.addEventListener("pbem:shown", start);
