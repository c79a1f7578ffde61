// Proposes the browser's time zone to a player who has never chosen one; the form says so by data-guess.
const select = document.querySelector("select[data-guess]");
const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
if (select && zone) {
  const option = [...select.options].find((o) => o.value === zone);
  if (option) option.selected = true;
}
