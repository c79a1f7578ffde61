// Notifications on this device: asked for after a move, ended with one press. Whether the device has them is what the
// browser itself knows. A device that has them subscribes a further seat once a move is played from it here, or when
// asked to: a seat that is only looked at, on a friend's telephone perhaps, stays as it is.
import { say } from "../../scripts/swap.js";
import { entries, read, write, writeEntry } from "../../scripts/stored.js";

const WORKER = "/sw.js";
const TOLD = "pbem.push"; // which seats this device has subscribed, and when
const LATER = "pbem.push.later"; // set once the reader has said "not now", or has stopped them
const AGAIN_MS = 86400000;
const able = "serviceWorker" in navigator && "PushManager" in window && "Notification" in window;

let subscription = null;
let looked = false;
let answer = ""; // what is said in place of the offer
let played = ""; // the seat from which a move was sent here

const parts = (name) => document.querySelectorAll(`[data-push=${name}]`);
const seat = () => document.querySelector("[data-push-key]")?.dataset; // none where nobody is notified any more
const known = () => entries(TOLD)[seat()?.pushName];

function apply() {
  const may = able && looked && Boolean(seat()) && Notification.permission !== "denied";
  for (const part of parts("on")) part.hidden = !may || Boolean(subscription && known());
  for (const part of parts("off")) part.hidden = !subscription;
  for (const part of parts("offer")) {
    part.hidden = !answer && (!may || Boolean(subscription) || read(LATER) !== null);
    if (answer && part.textContent !== answer) part.textContent = answer;
  }
  for (const part of parts("answer")) {
    part.hidden = !answer || parts("offer").length > 0; // one of the two says it
    part.textContent = answer;
  }
}

const bytes = (key) => Uint8Array.from(atob(key.replace(/-/g, "+").replace(/_/g, "/")), (sign) => sign.charCodeAt(0));
const same = (buffer, key) => !buffer || String(new Uint8Array(buffer)) === String(bytes(key));

async function subscribe() {
  const { ready } = navigator.serviceWorker;
  const options = { userVisibleOnly: true, applicationServerKey: bytes(seat().pushKey) };
  return (await ready).pushManager.subscribe(options);
}

async function look() {
  const registration = await navigator.serviceWorker.getRegistration(WORKER);
  const found = Notification.permission === "granted" ? await registration?.pushManager.getSubscription() : null;
  subscription = found ?? null;
  looked = true;
}

// Has the site notify this device of the seat.
async function tell() {
  const { pushUrl, pushName } = seat();
  const { endpoint } = subscription;
  const headers = { "Content-Type": "application/json" };
  const { ok } = await fetch(pushUrl, { method: "POST", headers, body: JSON.stringify(subscription), credentials: "same-origin" });
  if (ok) writeEntry(TOLD, pushName, { endpoint, at: Date.now() });
  return ok;
}

// Tells it again once a day, and when the browser has another endpoint: the site may have dropped the old one.
async function refresh(anew) {
  const before = known();
  if (before && (anew || before.endpoint !== subscription.endpoint || Date.now() - before.at > AGAIN_MS)) await tell();
}

async function turnOn() {
  const { pushDone, pushDenied, pushFailed } = seat();
  try {
    if ((await Notification.requestPermission()) !== "granted") answer = pushDenied;
    else {
      await navigator.serviceWorker.register(WORKER);
      await look();
      const fresh = !subscription;
      if (fresh) write(TOLD, "{}"); // they were ended elsewhere, for all seats
      subscription = await subscribe();
      const ok = await tell();
      answer = ok ? pushDone : pushFailed;
      if (!ok && fresh) {
        await subscription.unsubscribe(); // the site does not know of it
        subscription = null;
      }
    }
  } catch {
    answer = pushFailed;
  }
  apply();
  say(answer);
}

async function turnOff() {
  const ended = subscription;
  const { pushStop, pushStopped } = document.querySelector("[data-push-stop]").dataset;
  subscription = null;
  answer = pushStopped;
  write(LATER, "1");
  write(TOLD, "{}");
  apply();
  say(answer);
  const headers = { "Content-Type": "application/json" };
  await Promise.allSettled([
    fetch(pushStop, { method: "POST", headers, body: JSON.stringify({ endpoint: ended.endpoint }), credentials: "same-origin" }),
    ended.unsubscribe(),
    navigator.clearAppBadge?.(),
  ]);
}

document.addEventListener("click", ({ target }) => {
  const { push } = target.closest?.("button[data-push]")?.dataset ?? {};
  if (push === "on") turnOn();
  if (push === "off") turnOff();
  if (push !== "later") return;
  write(LATER, "1");
  apply();
});

document.addEventListener("submit", ({ target }) => {
  if (target.matches?.("form.confirm")) played = seat()?.pushName ?? "";
});

document.addEventListener("pbem:shown", async () => {
  answer = "";
  apply();
  await begun;
  const moved = document.querySelector("[data-part=head][data-moved]");
  if (!moved || !subscription || !played || seat()?.pushName !== played) return;
  played = "";
  try {
    if (!known()) await tell();
  } catch {
    // Without a connection: the next move tells it.
  }
  apply();
});

async function start() {
  if (!able) return;
  try {
    await look();
    if (subscription && seat()) {
      const foreign = !same(subscription.options?.applicationServerKey, seat().pushKey);
      if (foreign) {
        await subscription.unsubscribe(); // it was made for another key of this site
        subscription = await subscribe();
      }
      await refresh(foreign);
    }
  } catch {
    // Without a connection, or where the browser does not let us: it is tried again when a page is opened.
  }
  apply();
}

const begun = start();
