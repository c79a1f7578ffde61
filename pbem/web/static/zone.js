// Proposes the browser's time zone where the form still shows the default; the reader may choose another.
const select = document.querySelector("select[data-guess]");
const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
if (select && zone) {
  const option = [...select.options].find((o) => o.value === zone);
  if (option) option.selected = true;
}
