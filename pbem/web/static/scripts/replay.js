// The replay of a match of this site: its boards are fetched.
import { start, withStep } from "./replay-viewer.js";

const panel = document.getElementById("replay");

async function load(from) {
  const url = new URL(panel.dataset.frames, location.href);
  url.searchParams.set("from", from);
  const answer = await fetch(url);
  if (!answer.ok) throw new Error(`frames: ${answer.status}`);
  return answer.json();
}

if (panel) start(panel, load, (at) => location.assign(withStep(location.href, at)));
