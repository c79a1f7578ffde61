// Keys on the page of a seat: digits choose from the list, Enter plays, Escape steps back, ? lists them. In a table of
// answers a letter goes to its row, then a digit chooses there, and arrows go from field to field. Digits, letters and ?
// are single characters, which people who dictate type by accident: the dialog turns the keys off, and the browser
// remembers.
import { read, write } from "./stored.js";

const main = document.getElementById("main");
const dialog = document.getElementById("keys");
const use = dialog.querySelector("input");
const STORED = "pbem.keys";
const FIELD = "input, textarea, select, [contenteditable]";
const PRESSED_BY_ENTER = "a, button, summary";
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

function apply() {
  document.documentElement.classList.toggle("no-keys", !use.checked);
}

use.checked = read(STORED) !== "off";
apply();
use.addEventListener("change", () => {
  write(STORED, use.checked ? "on" : "off");
  apply();
});

document.addEventListener("click", (event) => {
  if (event.target.closest?.("[data-keys]")) open();
});

const seen = (link) => link.getClientRects().length;
const fields = () => [...main.querySelectorAll("a[data-field]")].filter(seen);

// The dialog has the keys of the answers that the page shows.
function open() {
  for (const line of dialog.querySelectorAll("[data-of-fields]")) line.hidden = !fields().length;
  dialog.showModal();
}

// The nearest field in the direction of an arrow; one beside it is farther than it looks.
function next(from, [across, along]) {
  const middle = ({ left, right, top, bottom }) => [(left + right) / 2, (top + bottom) / 2];
  const [x, y] = middle(from.getBoundingClientRect());
  const far = (field) => {
    const [dx, dy] = middle(field.getBoundingClientRect()).map((at, n) => at - [x, y][n]);
    const ahead = dx * across + dy * along;
    return ahead > 1 ? ahead + 4 * Math.abs(dx * along + dy * across) : Infinity;
  };
  const nearest = fields().map((field) => [far(field), field]).sort(([one], [other]) => one - other)[0];
  return nearest?.[0] < Infinity ? nearest[1] : from;
}

// The digit of a key; on a French keyboard its row has digits only with Shift, so its place counts as well.
function digit({ key, code, shiftKey }) {
  if (/^[1-9]$/.test(key)) return Number(key);
  return shiftKey ? 0 : Number(/^Digit([1-9])$/.exec(code)?.[1] ?? 0);
}

// The dialog's own field can have the focus for a moment after the dialog has closed.
const writes = (node) => node.closest?.(FIELD) && !dialog.contains(node);

document.addEventListener("keydown", (event) => {
  const { key, target } = event;
  const meant = !(event.ctrlKey || event.altKey || event.metaKey || event.repeat || event.isComposing);
  if (!meant || event.defaultPrevented || !use.checked || document.querySelector("dialog[open]") || writes(target)) return;
  const act = action(key, digit(event), target);
  if (!act) return;
  event.preventDefault();
  act();
});

function action(key, nth, target) {
  if (key === "?") return open;
  const form = main.querySelector("form.confirm");
  if (key === "Enter") return form && !target.closest?.(PRESSED_BY_ENTER) && (() => form.requestSubmit());
  const at = target.closest?.("a[data-field]");
  if (at && key in ARROWS) return () => next(at, ARROWS[key]).focus();
  if (/^[a-z]$/i.test(key)) {
    const first = fields().find((field) => field.dataset.field.startsWith(key.toUpperCase()));
    return first && (() => first.focus());
  }
  if (nth && at && /^[A-Z]/.test(at.dataset.field)) {
    const field = fields().find((one) => one.dataset.field === at.dataset.field[0] + nth);
    // A row's digit that is not allowed chooses nothing else.
    return () => field?.dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true }));
  }
  // Where a pad shows some of the choices, the list has the others alone.
  const shown = [...main.querySelectorAll(".todo a.opt")].filter(seen);
  const link = key === "Escape" ? main.querySelector("[data-back]") : nth && shown[nth - 1];
  return link && (() => link.click());
}
