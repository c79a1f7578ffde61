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
