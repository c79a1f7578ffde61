// Steps through a match on this page: of this site, or saved on a disk. Without it every control is a link.
import { Frames } from "./replay-frames.js";
import { Sheets } from "./replay-sheets.js";
import { Slides } from "./replay-slide.js";

const PAUSE_MS = 1500;
const SLIDE_MS = 250;
const FAST = 4;
const SETTLE_MS = 250;
const LINKS = "a.eyes, #here, #picture"; // they lead to the step that is shown

// Where the browser cannot say when it has time, it is asked to do it soon.
const idle = window.requestIdleCallback ?? ((act) => setTimeout(act, 50));
const cancelIdle = window.cancelIdleCallback ?? clearTimeout;
const $ = (id) => document.getElementById(id);

// `load(from)` tells the boards from a step on, and their symbols; `fail(at)` does what is left to do if it cannot.
export function start(panel, load, fail) {
  const [board, slider, run, turn] = [$("board"), $("step"), $("run"), $("turn")];
  const last = Number(panel.dataset.last);
  const lines = new Map([...document.querySelectorAll("#steps [data-step]")].map((to) => [Number(to.dataset.step), to]));
  const frames = new Frames(last, load);
  const sheets = new Sheets(board, Number(panel.dataset.at));
  const slides = new Slides();
  let at = Number(panel.dataset.at);
  let speed = 1;
  let timer = 0;
  let tallest = Number(getComputedStyle(board).getPropertyValue("--tallest"));

  async function show(n) {
    const before = at;
    at = Math.min(Math.max(n, 1), last);
    if (at === last) pause();
    frames.prefetch(at);
    const drawn = frames.ready(at);
    mark(before);
    requestAnimationFrame(reveal);
    if (drawn !== undefined) {
      draw(drawn, before);
      return;
    }
    const wanted = at;
    try {
      const late = await frames.get(at);
      if (wanted === at) draw(late, before);
    } catch {
      fail(at);
    }
  }

  function draw(markup, before) {
    const slow = Math.abs(at - before) === 1 && speed < FAST;
    const left = sheets.shown;
    if (slow) slides.measure(left);
    keepHeight(markup);
    board.classList.toggle("still", speed >= FAST);
    sheets.show(at, markup);
    document.dispatchEvent(new CustomEvent("pbem:shown"));
    if (slow) slides.show(sheets.shown, left, SLIDE_MS / speed);
    cancelIdle(resting);
    resting = idle(prepare);
  }

  // What a next step would show is laid out as soon as there is time for it.
  let resting = 0;
  async function prepare() {
    sheets.tidy();
    const from = at;
    for (const n of [at + 1, at - 1]) {
      if (n < 1 || n > last) continue;
      const markup = await frames.get(n).catch(() => undefined);
      if (markup === undefined || from !== at) return;
      slides.measure(sheets.prepare(n, markup));
    }
  }

  // A board that grows pushes the controls away once and never pulls them back.
  function keepHeight(markup) {
    const [, width, height] = /viewBox="\S+ \S+ (\S+) ([^" ]+)"/.exec(markup) ?? [];
    const ratio = height / width;
    if (ratio > tallest) {
      tallest = ratio;
      board.style.setProperty("--tallest", ratio);
    }
  }

  // Everything around the board that tells the step.
  function mark(before) {
    slider.value = at;
    $("at").textContent = at;
    lines.get(before)?.removeAttribute("aria-current");
    lines.get(at)?.setAttribute("aria-current", "step");
    $("told").replaceChildren(...[...lines.get(at).lastElementChild.childNodes].map((part) => part.cloneNode(true)));
    markTurn();
    soon();
  }

  function markTurn() {
    if (!turn) return;
    const current = [...turn.options].findLast((option) => Number(option.value) <= at);
    turn.value = current?.value ?? "";
    const round = current?.parentNode.label;
    $("where").textContent = current ? ` · ${round ? `${round}, ` : ""}${current.text}` : "";
  }

  // The list scrolls, never the page: the board must stay where it is.
  function reveal() {
    const line = lines.get(at).closest("li");
    const list = $("steps");
    list.scrollTop = line.offsetTop - (list.clientHeight - line.offsetHeight) / 2;
  }

  // Addresses and what is spoken wait until the reader has come to rest; while it plays, nothing is spoken.
  let settling = 0;
  function soon() {
    clearTimeout(settling);
    settling = setTimeout(() => {
      if (!timer) $("spoken").textContent = lines.get(at).lastElementChild.textContent;
      for (const link of document.querySelectorAll(LINKS)) link.href = withStep(link.href, at);
      propose();
      history.replaceState(null, "", `#step=${at}`);
    }, SETTLE_MS);
  }

  // What a picture would show follows the step, until the reader has chosen its steps.
  function propose() {
    const save = $("save");
    if (!save) return;
    const { step, first, last: to } = save.elements;
    save.querySelector("[data-shown]").textContent = step.value = at;
    if (save.dataset.chosen !== undefined) return;
    const length = to.defaultValue - first.defaultValue;
    first.value = Math.min(at, last - length);
    to.value = Number(first.value) + length;
  }

  function picture(name, label) {
    run.querySelector("use").setAttribute("href", `#ctl-${name}`);
    run.setAttribute("aria-label", label);
  }

  function pause() {
    if (!timer) return;
    clearInterval(timer);
    timer = 0;
    picture("play", panel.dataset.play);
    soon();
  }

  function play() {
    clearInterval(timer);
    if (at === last) show(1);
    timer = setInterval(() => show(at + 1), PAUSE_MS / speed);
    $("spoken").textContent = "";
    picture("pause", panel.dataset.pause);
  }

  const toggle = () => (timer ? pause() : play());
  const go = (n) => {
    pause();
    show(n);
  };
  const actions = {
    first: () => go(1),
    prev: () => go(at - 1),
    next: () => go(at + 1),
    last: () => go(last),
    run: toggle,
  };
  const plain = (event) => !(event.ctrlKey || event.metaKey || event.shiftKey || event.altKey);

  for (const [id, act] of Object.entries(actions)) {
    $(id).setAttribute("role", "button");
    $(id).addEventListener("click", (event) => {
      if (!plain(event)) return;
      event.preventDefault();
      act();
    });
  }
  panel.addEventListener("submit", (event) => event.preventDefault());
  slider.addEventListener("input", () => go(Number(slider.value)));
  turn?.addEventListener("change", () => go(Number(turn.value)));
  $("steps").addEventListener("click", (event) => {
    const line = event.target.closest("[data-step]");
    if (!line || !plain(event)) return;
    event.preventDefault();
    go(Number(line.dataset.step));
  });
  for (const link of document.querySelectorAll(LINKS)) {
    link.addEventListener("click", () => (link.href = withStep(link.href, at)));
  }
  for (const button of document.querySelectorAll("[data-speed]")) {
    button.addEventListener("click", () => {
      speed = Number(button.dataset.speed);
      for (const other of document.querySelectorAll("[data-speed]")) other.removeAttribute("aria-current");
      button.setAttribute("aria-current", "true");
      if (timer) play();
    });
  }

  $("save")?.addEventListener("input", ({ currentTarget }) => (currentTarget.dataset.chosen = ""));

  const keys = { ArrowLeft: "prev", ArrowRight: "next", Home: "first", End: "last" };
  document.addEventListener("keydown", (event) => {
    if (!plain(event) || event.target.closest("select, textarea, input:not([type=range])")) return;
    const own = event.target.closest("[role=button], button, summary");
    if (event.key === " " && own) {
      // A link that has become a button is pressed by the space bar, too; a button is by itself.
      if (own.tagName !== "A") return;
      event.preventDefault();
      own.click();
    } else if (event.key === " ") {
      event.preventDefault();
      toggle();
    } else if (keys[event.key] && event.target !== slider) {
      event.preventDefault();
      actions[keys[event.key]]();
    }
  });

  const fromHash = () => Number(/^#step=(\d{1,6})$/.exec(location.hash)?.[1]);
  window.addEventListener("hashchange", () => {
    if (fromHash() && fromHash() !== at) go(fromHash());
  });
  for (const id of ["speeds", "keys", "jump"]) $(id)?.removeAttribute("hidden");
  if (board.firstElementChild) keepHeight(board.innerHTML);
  if (fromHash() && fromHash() !== at) {
    show(fromHash());
  } else {
    markTurn();
    reveal();
  }
  // The first picture is there; the others come when the browser has nothing better to do.
  resting = idle(prepare);
}

// The address with this step in it.
export function withStep(href, at) {
  const url = new URL(href, location.href);
  url.searchParams.set("step", at);
  url.hash = "";
  return url.pathname + url.search;
}
