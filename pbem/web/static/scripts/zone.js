// Puts the browser's time zone first in the list, and proposes it to a player who has never chosen one (data-guess);
// where a line says whose time it is, that changes, too.
const field = document.querySelector("input[list=zones]");
const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
const option = [...(field?.list?.options ?? [])].find((o) => o.value === zone);
if (option) {
  field.list.prepend(option);
  if ("guess" in field.dataset) {
    field.value = zone;
    const said = document.querySelector("summary [data-time]");
    if (said) said.textContent = option.dataset.time;
  }
}
// The list shows what fits the text, so typing replaces it.
field?.addEventListener("focus", () => field.select());
