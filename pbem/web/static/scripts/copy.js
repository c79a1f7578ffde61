// Copies what stands in the element that the button names, and says so on the button.
document.addEventListener("click", async ({ target }) => {
  const button = target.closest?.("button[data-copy]");
  const given = button && document.getElementById(button.dataset.copy);
  if (!given) return;
  try {
    await navigator.clipboard.writeText(given.textContent.trim());
    button.textContent = button.dataset.done;
  } catch {
    // Not allowed here: the text is marked instead, ready for the reader's own copying.
    getSelection().selectAllChildren(given);
  }
});

// A link that copies its own address. Where that is not allowed it leads there, and the address bar shows it.
document.addEventListener("click", async (event) => {
  const link = event.target.closest?.("a[data-copy-link]");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  try {
    await navigator.clipboard.writeText(link.href);
  } catch {
    location.assign(link.href);
    return;
  }
  const label = link.querySelector(".scripted");
  link.dataset.label ??= label.textContent;
  label.textContent = link.dataset.done;
  setTimeout(() => (label.textContent = link.dataset.label), 2000);
});
