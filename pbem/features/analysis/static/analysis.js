// Where a match was decided: the line on the curve moves with the step; while it is worked out, this asks how far it is.
const WAIT_MS = [2000, 20000];

const curve = document.getElementById("chances");
if (curve) {
  const rows = JSON.parse(curve.dataset.rows); // [step, place, chances in percent]
  const line = document.getElementById("now");
  const slider = document.getElementById("step");
  const { from, by } = line.dataset;
  document.addEventListener("pbem:shown", () => {
    const [, place, chances] = rows.findLast(([step]) => step <= slider.value) ?? rows[0];
    line.setAttribute("transform", `translate(${Number(from) + place * Number(by)})`);
    for (const one of document.querySelectorAll("[data-worth]")) {
      one.textContent = `${chances[one.dataset.worth]}\u00a0%`;
    }
  });
}

const worked = document.getElementById("worked");
let failures = 0;

async function ask() {
  try {
    const answer = await fetch(worked.dataset.progress, { cache: "no-store", credentials: "same-origin" });
    if (!answer.ok) throw new Error(`analysis: ${answer.status}`);
    const { going, done, total, says } = await answer.json();
    if (!going) return location.reload();
    failures = 0;
    const bar = worked.parentNode.querySelector("progress");
    if (worked.textContent !== says) worked.textContent = says;
    if (total) [bar.max, bar.value] = [total, done];
  } catch {
    failures += 1;
  }
  setTimeout(ask, Math.min(WAIT_MS[0] * 2 ** failures, WAIT_MS[1]));
}

if (worked) setTimeout(ask, WAIT_MS[0]);
