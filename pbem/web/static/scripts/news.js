// Pages through what the strip has to say without asking for the page: line by line, and a line that is longer than its
// place two lines at a time. What the reader has paged to is read, on all their devices. Important news are a dialog.
import { say } from "./swap.js";

const main = document.getElementById("main");
const SEND_MS = 500;
const slot = () => main.querySelector("[data-part=news]");
const items = () => [...(slot()?.querySelectorAll(":scope > .item") ?? [])];
const current = () => items().findIndex((item) => !item.hidden);
const part = (name) => slot()?.querySelector(name);
const cardOf = (item) => [...main.querySelectorAll(".card")].find((card) => card.dataset.name === item.dataset.name);

// What the reader has gone on from, and where they are: a page that is fetched meanwhile changes neither.
const closed = new Set();
let at = items()[current()]?.dataset.name;
let upto = 0;
let timer = 0;

// The place of the first unread item; Infinity if all is read.
const unread = () => Number(slot().dataset.unread ?? Infinity);

function show(place) {
  const all = items();
  all.forEach((item, n) => (item.hidden = n !== place));
  at = all[place].dataset.name;
  const [prev, next] = [part(".prev"), part(".next")];
  if (place === 0 && document.activeElement === prev) next.focus();
  prev.hidden = place === 0;
  next.querySelector("span").textContent = all[place].dataset.of;
  all[place].querySelector("p").scrollTop = 0;
  end(place);
}

function end(place) {
  const next = part(".next");
  if (next) next.ariaDisabled = place === items().length - 1 && unread() === Infinity ? "true" : null;
}

// Notes that the reader has read what stands up to this place, and tells the site after a moment.
function mark(place) {
  if (!part(".on") || place < unread()) return;
  const all = items();
  if (place + 1 < all.length) slot().dataset.unread = place + 1;
  else delete slot().dataset.unread;
  part(".next").classList.toggle("unread", unread() < Infinity);
  end(current());
  upto = Math.max(upto, Number(all[place].dataset.upto));
  clearTimeout(timer);
  timer = setTimeout(send, SEND_MS);
}

function send() {
  clearTimeout(timer);
  if (!upto || !part(".on")) return;
  const body = new URLSearchParams({ seen: upto });
  upto = 0;
  fetch(part(".on").action, { method: "POST", body, redirect: "manual", keepalive: true }).catch(() => {});
}

function open(card) {
  card.open = false;
  card.showModal();
}

// The earliest card up to this place that the reader has not gone on from.
function due(place) {
  const waits = items().slice(0, place + 1).filter((_, n) => n >= unread());
  return waits.map(cardOf).find((card) => card && !closed.has(card.dataset.name));
}

// Scrolls to the rest of a line that is longer than its place; false if there is none.
function rest(text, way) {
  const left = way > 0 ? text.scrollHeight - text.clientHeight - text.scrollTop : text.scrollTop;
  if (left < parseFloat(getComputedStyle(text).lineHeight) / 2) return false;
  text.scrollTop += way * text.clientHeight;
  return true;
}

function page(way) {
  const place = current();
  if (rest(items()[place].querySelector("p"), way)) return;
  if (items()[place + way]) show(place + way);
  const card = due(current());
  if (card) return open(card);
  mark(current());
  say(items()[current()].querySelector("p").textContent);
}

// Escape goes on, too. One that opened ahead of its line, before a choice, leaves the lines before it unread.
document.addEventListener("close", ({ target }) => {
  if (!target.matches?.(".card")) return;
  closed.add(target.dataset.name);
  if (items().findIndex((item) => item.dataset.name === target.dataset.name) <= current()) mark(current());
  const next = due(current());
  if (next) return open(next);
  const seen = (node) => node?.checkVisibility();
  [main.querySelector(".confirm .play"), part(".next"), main.querySelector("h1")].find(seen)?.focus({ preventScroll: true });
}, { capture: true });

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (form.matches(".slot > .on")) {
    event.preventDefault();
    page(1);
  } else if (form.matches(".card form")) {
    event.preventDefault();
    form.closest(".card").close();
  }
});

document.addEventListener("click", (event) => {
  const link = event.target.closest?.(".slot > .pg");
  if (!link || event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  page(link.matches(".prev") ? -1 : 1);
}, { capture: true });

// The page as it came, or as it comes anew: the reader stays where they were, unless it has something to say first.
function arrive() {
  if (!slot()) return;
  const place = items().findIndex((item) => item.dataset.name === at);
  const shown = items()[current()];
  if (place >= 0 && shown?.matches(".news") && shown.dataset.name !== at) show(place);
  at = items()[current()]?.dataset.name;
  const card = main.querySelector(".card[open]:not(:modal)");
  if (card) closed.has(card.dataset.name) ? card.close() : open(card);
}

document.addEventListener("pbem:shown", arrive);
addEventListener("pagehide", send);
arrive();
