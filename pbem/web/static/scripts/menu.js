// Closes the quiet menu as people expect: by Escape, which then steps nowhere else, by a touch beside it, and by the row
// that opens a dialog. Without it the button itself closes it.
const open = () => document.querySelector("details.menu[open]");

document.addEventListener("click", ({ target }) => {
  const menu = open();
  if (menu && (!menu.contains(target) || target.closest("[data-keys]"))) menu.open = false;
});

document.addEventListener(
  "keydown",
  (event) => {
    const menu = event.key === "Escape" && open();
    if (!menu) return;
    event.preventDefault();
    menu.open = false;
    menu.querySelector("summary").focus();
  },
  { capture: true },
);
