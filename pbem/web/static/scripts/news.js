// Pages through what the strip has to say without asking for the page: line by line, and a line that is longer than its
// place two lines at a time. What the reader has paged to is read, on all their devices.
import { say } from "./swap.js";

const main = document.getElementById("main");
const slot = () => main.querySelector("[data-part=news]");
const items = () => [...slot().querySelectorAll(":scope > .item")];
const current = () => items().findIndex((item) => !item.hidden);
const card = (at) => main.querySelector(`.card[data-at="${at}"]`);

// The place of the first unread item; Infinity if all is read.
const unread = () => Number(slot().dataset.unread ?? Infinity);

function show(at) {
  const all = items();
  all.forEach((item, n) => (item.hidden = n !== at));
  const [prev, next] = [slot().querySelector(".prev"), slot().querySelector(".next")];
  prev.hidden = at === 0;
  next.querySelector("span").textContent = all[at].dataset.of;
  all[at].querySelector("p").scrollTop = 0;
  const opened = card(at);
  if (opened && at >= unread()) open(opened);
  else mark(at);
  next.disabled = at === all.length - 1 && unread() === Infinity;
  say(all[at].querySelector("p").textContent);
}

// Notes that the reader has read what stands up to this place.
function mark(at) {
  if (at < unread()) return;
  const all = items();
  if (at + 1 < all.length) slot().dataset.unread = at + 1;
  else delete slot().dataset.unread;
  slot().querySelector(".next").classList.toggle("unread", unread() < Infinity);
  const body = new URLSearchParams({ seen: all[at].dataset.upto });
  fetch(slot().querySelector(".on").action, { method: "POST", body, redirect: "manual", keepalive: true }).catch(() => {});
}

function open(opened) {
  opened.hidden = false;
  opened.querySelector("h2").focus({ preventScroll: true });
}

// The rest of a line that is longer than its place, before the next one.
function rest(text, way) {
  const before = text.scrollTop;
  text.scrollTop += way * text.clientHeight;
  return Math.abs(text.scrollTop - before) > 1;
}

function page(way) {
  const at = current();
  if (rest(items()[at].querySelector("p"), way)) return;
  if (items()[at + way]) show(at + way);
  else if (way > 0) mark(at);
}

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (form.matches(".slot > .on")) {
    event.preventDefault();
    page(1);
  } else if (form.matches(".card form")) {
    event.preventDefault();
    const shown = form.closest(".card");
    shown.hidden = true;
    mark(Number(shown.dataset.at));
    const due = [...main.querySelectorAll(".card")].find((one) => one.dataset.at >= unread() && one.dataset.at <= current());
    if (due) open(due);
    else slot().querySelector(".next")?.focus({ preventScroll: true });
  }
});

document.addEventListener("click", (event) => {
  if (!event.target.closest?.(".slot > .prev") || event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  page(-1);
}, { capture: true });
