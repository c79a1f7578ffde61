// Moves and enlarges a map behind its window: arrow keys, + and -, drag, pinch, wheel with Ctrl, a touch in the overview.
// Without it the map is seen as it was drawn, and links lead to all of it and back. What the reader looks at stays when
// the board is redrawn.
const SVG = "http://www.w3.org/2000/svg";
const STEP = 1.5;
const LARGEST = 1.5; // board units a map unit
const SLIDE = 60; // board units an arrow key
const RING = 7; // room for the ring around what has the focus
const EDGE = 5; // between the overview and the edges of the window

// The scale and the point of the map in the middle of the window; null while the map is as it was drawn.
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
const numbers = (element, ...names) => names.map((name) => Number(element.getAttribute(name)));

function read(svg) {
  const frame = svg.querySelector("[data-pan]");
  const map = frame.lastElementChild;
  const [x, y, wide, high] = frame.dataset.pan.split(" ").map(Number);
  const at = map.transform.baseVal.consolidate().matrix;
  const [left, top, w, h] = numbers(frame.previousElementSibling.firstElementChild, "x", "y", "width", "height");
  const home = { s: at.a, x: at.e, y: at.f };
  const rulers = [...svg.querySelectorAll("[data-ruler]")].map((ruler) => {
    const axis = ruler.dataset.ruler;
    const marks = [...ruler.children].map((mark) => {
      const cell = Number(mark.dataset.cell);
      const [first] = numbers(mark, axis);
      return { mark, cell, first, low: first - (home[axis] + home.s * 100 * (cell + 0.5)) };
    });
    const [size] = marks.length ? numbers(marks[0].mark, "font-size") : [0];
    return { axis, size, marks };
  });
  const overview = svg.querySelector("[data-overview]");
  return { svg, frame, map, home, rulers, overview, window: overview?.querySelector("[data-frame]"),
    words: frame.dataset.words.split("|"), extent: frame.dataset.extent, shape: svg.getAttribute("class"),
    least: Math.min(home.s, w / wide, h / high), all: { x, y, w: wide, h: high }, seen: { x: left, y: top, w, h } };
}

// --- what is shown ---

function show(shown = board) {
  const { map, frame, home, rulers, seen, toggle, words } = shown;
  const at = view ? { s: view.s, ...corner() } : home;
  set(map, "transform", `translate(${at.x.toFixed(2)},${at.y.toFixed(2)}) scale(${at.s.toFixed(4)})`);
  for (const { axis, size, marks } of rulers) {
    const [from, length] = axis === "x" ? [seen.x, seen.w] : [seen.y, seen.h];
    const every = Math.ceil((size * (axis === "x" ? 2 : 1)) / (at.s * 100));
    for (const { mark, cell, low } of marks) {
      const place = at[axis] + at.s * 100 * (cell + 0.5);
      const fits = cell % every === 0 && place >= from + size * 0.8 && place <= from + length - size * 0.8;
      set(mark, axis, (place + low).toFixed(2));
      set(mark, "visibility", fits ? null : "hidden");
    }
  }
  oversee(shown, at);
  const moves = at.s > shown.least * 1.001;
  frame.style.touchAction = moves ? "none" : "pan-x pan-y";
  frame.style.cursor = moves ? "grab" : "";
  if (toggle) set(toggle, "aria-label", words[moves ? 1 : 2]);
}

// The overview shows what is in the window, from the corner where it lies on the fewest cells that can be touched.
function oversee({ overview, window: shown, seen, targets }, at) {
  if (!shown) return;
  const [x, y] = [(seen.x - at.x) / at.s, (seen.y - at.y) / at.s];
  const size = { x, y, width: seen.w / at.s, height: seen.h / at.s };
  for (const [name, value] of Object.entries(size)) set(shown, name, value.toFixed(1));
  const [left, top, wide, high] = numbers(overview.firstElementChild, "x", "y", "width", "height");
  const [right, bottom] = [seen.x + seen.w - wide - EDGE, seen.y + seen.h - high - EDGE];
  const places = [[left, top], [right, seen.y + EDGE], [seen.x + EDGE, seen.y + EDGE], [right, bottom], [seen.x + EDGE, bottom]];
  const under = ([px, py]) => targets.filter((cell) => {
    const [cx, cy] = [at.x + at.s * cell.x, at.y + at.s * cell.y];
    const inSight = cx < seen.x + seen.w && cx + at.s * cell.width > seen.x && cy < seen.y + seen.h && cy + at.s * cell.height > seen.y;
    return inSight && cx < px + wide && cx + at.s * cell.width > px && cy < py + high && cy + at.s * cell.height > py;
  }).length;
  const counts = places.map(under);
  const [px, py] = places[counts.indexOf(Math.min(...counts))];
  set(overview, "transform", `translate(${(px - left).toFixed(1)},${(py - top).toFixed(1)})`);
}

// Where the map's origin lies; the middle is kept so that the window shows no more than a little beside the map.
function corner() {
  const { seen, all } = board;
  const place = (axis, size) => {
    const half = seen[size] / 2 / view.s;
    const spare = Math.min(half, seen[size] / 3 / view.s); // beside the map the overview lies on no cell
    const [least, most] = [all[axis] + half - spare, all[axis] + all[size] - half + spare];
    view[axis] = least > most ? all[axis] + all[size] / 2 : between(least, view[axis], most);
    return seen[axis] + seen[size] / 2 - view.s * view[axis];
  };
  return { x: place("x", "w"), y: place("y", "h") };
}

const middle = () => ({ x: board.seen.x + board.seen.w / 2, y: board.seen.y + board.seen.h / 2 });

// What is seen now, as something that can be moved.
function grasp() {
  const { home } = board;
  const { x, y } = middle();
  view ??= { s: home.s, x: (x - home.x) / home.s, y: (y - home.y) / home.s };
}

// Enlarges around a point of the board, which stays where it is.
function zoom(by, point = middle()) {
  const { home, least } = board;
  const old = view ? { s: view.s, ...corner() } : home;
  const s = between(least, old.s * by, LARGEST);
  const [mx, my] = [(point.x - old.x) / old.s, (point.y - old.y) / old.s];
  const { x, y } = middle();
  view = { s, x: mx + (x - point.x) / s, y: my + (y - point.y) / s };
  if (s <= least * 1.001 && Math.abs(home.s - least) < 0.001) view = null;
  show();
}

function slide(dx, dy) {
  if ((view ?? board.home).s <= board.least * 1.001) return;
  grasp();
  view.x -= dx / view.s;
  view.y -= dy / view.s;
  show();
}

const back = () => {
  view = null;
  show();
};

// A touch in the overview moves the window there; one in what is seen already leads to the whole map.
function look(event) {
  const { window: shown, home, seen } = board;
  const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(shown.getScreenCTM().inverse());
  const at = view ? { s: view.s, ...corner() } : home;
  const [x, y] = [(seen.x - at.x) / at.s, (seen.y - at.y) / at.s];
  const inside = point.x > x && point.x < x + seen.w / at.s && point.y > y && point.y < y + seen.h / at.s;
  if (inside || !event.detail) return; // a key has no point
  event.preventDefault();
  event.stopPropagation();
  view = { s: at.s, x: point.x, y: point.y };
  show();
}

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
  } else if ((view ?? board.home).s > board.least * 1.001 && (dragged || Math.hypot(now.x - old.x, now.y - old.y) > 5)) {
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
  if (slides) slide(slides[0] * SLIDE, slides[1] * SLIDE);
  else if (event.key === "+" || event.key === "=") zoom(STEP);
  else if (event.key === "-") zoom(1 / STEP);
  else if (event.key === "0") back();
  else return;
  event.preventDefault();
  event.stopPropagation();
}

// A cell that gets the focus comes into the window.
function reveal(event) {
  if (event.target === board.place) return;
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

// Where no link leads to a larger map, as in a replay: a button that enlarges it, and shows all of it again.
function lens({ svg, frame, words }) {
  const [x, y, size] = frame.dataset.lens.split(" ").map(Number);
  const made = make("g", { role: "button", tabindex: 0, "aria-label": words[2], cursor: "pointer",
    transform: `translate(${x},${y}) scale(${size / 40})` });
  made.append(make("rect", { class: "ib", width: 40, height: 44, rx: 8 }),
    make("rect", { class: "pa", x: 3, y: 3, width: 34, height: 34, rx: 6 }),
    make("path", { class: "il", d: "M25,25 l7,7 M27,18 a9,9 0 1 1 -18,0 a9,9 0 1 1 18,0", "stroke-width": 3,
      "stroke-linecap": "round" }));
  const go = () => (view ? back() : zoom(2));
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
  const maps = [...document.querySelectorAll(".board > svg:not(.off):has([data-pan])")];
  const svg = maps.find((map) => map.getClientRects().length);
  if (!svg || svg === board?.svg) return;
  fingers.clear();
  const old = board;
  board = boards.get(svg) ?? ready(svg);
  // Of one question the map is drawn in one place; a part of another one, or in another shape, is seen as it is drawn.
  const { home, extent, shape } = board;
  const moved = (name) => Math.abs(home[name] - old.home[name]) > 0.5;
  if (old && (shape !== old.shape || extent !== old.extent || (extent === "part" && ["x", "y"].some(moved)))) view = null;
  show();
}

// A board that can be moved, as soon as it is shown.
function ready(svg) {
  const made = read(svg);
  boards.set(svg, made);
  const { frame, seen, words, map, overview } = made;
  svg.setAttribute("role", "group");
  made.targets = [...map.querySelectorAll("a")].map((link) => link.getBBox());
  made.place = make("rect", { x: seen.x, y: seen.y, width: seen.w, height: seen.h, fill: "none",
    "pointer-events": "all", tabindex: 0, role: "group", "aria-label": words[0] });
  frame.prepend(made.place);
  if (frame.dataset.lens) made.toggle = lens(made);
  if (made.window) (overview.closest("a") ?? overview).addEventListener("click", look);
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
addEventListener("resize", start);
document.addEventListener("pbem:drawn", ({ detail: svg }) => svg.querySelector("[data-pan]") && ready(svg));
document.addEventListener("pbem:shown", start);
