// Shows in the browser's tab that it is the reader's turn, and lets it be heard, softly, by those who have asked for it.
// The title of the page begins with ● while a question of theirs is open.
import { read, write } from "./stored.js";

const STORED = "pbem.sound";
const LATE_MS = 1000;
const NOTES = [659.3, 880]; // E5, A5, in hertz
const icon = document.querySelector("link[rel=icon]");
const plain = icon.href;
const marked = new URL("icon-turn.svg", plain).href;

const asked = () => document.title.startsWith("●");
const box = () => document.querySelector("[data-sound] input");
let before = asked();
let on = read(STORED) === "on";

function look() {
  const now = asked();
  if (icon.href !== (now ? marked : plain)) icon.href = now ? marked : plain;
  if (now && !before && on && document.hidden) sound();
  if (!now && !document.hidden) navigator.clearAppBadge?.().catch(() => {});
  before = now;
}

// Two short notes that swell and fade; nothing where the browser lets no page sound that was not touched yet.
function sound() {
  const context = new AudioContext();
  setTimeout(() => context.state === "suspended" && context.close(), LATE_MS); // else it would sound at the next touch
  NOTES.forEach((hertz, n) => {
    const [tone, volume] = [context.createOscillator(), context.createGain()];
    const at = context.currentTime + n * 0.18;
    tone.frequency.value = hertz;
    volume.gain.setValueAtTime(0.0001, at);
    volume.gain.exponentialRampToValueAtTime(0.08, at + 0.03);
    volume.gain.exponentialRampToValueAtTime(0.0001, at + 0.5);
    tone.connect(volume).connect(context.destination);
    tone.start(at);
    tone.stop(at + 0.5);
    tone.onended = () => n === NOTES.length - 1 && context.close();
  });
}

function apply() {
  const field = box();
  if (!field) return;
  field.checked = on;
  field.closest("[data-sound]").hidden = false;
}

document.addEventListener("change", ({ target }) => {
  if (target !== box()) return;
  on = target.checked;
  write(STORED, on ? "on" : "off");
  if (on) sound(); // so that they know what they will hear
});
document.addEventListener("pbem:shown", apply);
document.addEventListener("visibilitychange", look);
new MutationObserver(look).observe(document.querySelector("title"), { childList: true });
apply();
look();
