// Keys on the page of a seat: digits choose from the list, Enter plays, Escape steps back, ? lists them. Digits and ? are
// single characters, which people who dictate type by accident: the dialog turns the keys off, and the browser remembers.
import { read, write } from "./stored.js";

const main = document.getElementById("main");
const dialog = document.getElementById("keys");
const use = dialog.querySelector("input");
const STORED = "pbem.keys";
const FIELD = "input, textarea, select, [contenteditable]";
const PRESSED_BY_ENTER = "a, button, summary";

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
  if (event.target.closest?.("[data-keys]")) dialog.showModal();
});

// The digit of a key; on a French keyboard its row has digits only with Shift, so its place counts as well.
function digit({ key, code, shiftKey }) {
  if (/^[1-9]$/.test(key)) return Number(key);
  return shiftKey ? 0 : Number(/^Digit([1-9])$/.exec(code)?.[1] ?? 0);
}

document.addEventListener("keydown", (event) => {
  const { key, target } = event;
  const meant = !(event.ctrlKey || event.altKey || event.metaKey || event.repeat || event.isComposing);
  if (!meant || event.defaultPrevented || !use.checked || dialog.open || target.closest?.(FIELD)) return;
  const act = action(key, digit(event), target);
  if (!act) return;
  event.preventDefault();
  act();
});

function action(key, nth, target) {
  if (key === "?") return () => dialog.showModal();
  const form = main.querySelector("form.confirm");
  if (key === "Enter") return form && !target.closest?.(PRESSED_BY_ENTER) && (() => form.requestSubmit());
  // Where a pad shows some of the choices, the list has the others alone.
  const shown = [...main.querySelectorAll(".todo a.opt")].filter((option) => option.getClientRects().length);
  const link = key === "Escape" ? main.querySelector("[data-back]") : nth && shown[nth - 1];
  return link && (() => link.click());
}
