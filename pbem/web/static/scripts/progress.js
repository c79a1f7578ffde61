// Asks again until the picture is finished, and shows how far it is. Without it a link does the same.
const WAIT_MS = [1000, 10000];

let failures = 0;

async function ask() {
  const old = document.getElementById("picture");
  try {
    const answer = await fetch(location.href, { cache: "no-store", credentials: "same-origin" });
    const doc = new DOMParser().parseFromString(await answer.text(), "text/html");
    const fresh = doc.getElementById("picture");
    if (!fresh) return location.reload(); // why it is not shown any more, the page itself says
    failures = 0;
    if (fresh.dataset.open === undefined) {
      const focused = old.contains(document.activeElement);
      old.replaceWith(fresh);
      document.getElementById("said").textContent = fresh.querySelector("p").textContent;
      if (focused) fresh.querySelector("a")?.focus();
      return;
    }
    document.getElementById("drawn").textContent = fresh.querySelector("#drawn").textContent;
    old.querySelector("progress").value = fresh.querySelector("progress").value;
  } catch {
    failures += 1;
  }
  setTimeout(ask, Math.min(WAIT_MS[0] * 2 ** failures, WAIT_MS[1]));
}

setTimeout(ask, WAIT_MS[0]);
