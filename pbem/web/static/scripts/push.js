// Notifications on this device: asked for after a move, ended with one press. Whether the device has them is what the
// browser itself knows. A device that has them subscribes every seat that is opened on it, by the seat's own link.
import { say } from "./swap.js";

const WORKER = "/sw.js";
const TOLD = "pbem.push"; // which seats this device has subscribed, and when
const LATER = "pbem.push.later"; // set once the reader has said "not now", or has stopped them
const KEPT = 50; // seats
const AGAIN_MS = 86400000;
const able = "serviceWorker" in navigator && "PushManager" in window && "Notification" in window;

let subscription = null;
let looked = false;
let answer = ""; // what is said in place of the offer

const parts = (name) => document.querySelectorAll(`[data-push=${name}]`);
const seat = () => document.querySelector("[data-push-key]")?.dataset;

// A browser may forbid a site to store anything; then it is as if nothing had been stored.
function stored(name, value) {
  try {
    if (value !== undefined) localStorage.setItem(name, value);
    return localStorage.getItem(name);
  } catch {
    return null;
  }
}

function apply() {
  const may = able && looked && Boolean(seat()) && Notification.permission !== "denied";
  for (const part of parts("on")) part.hidden = !may || Boolean(subscription);
  for (const part of parts("off")) part.hidden = !subscription;
  for (const part of parts("offer")) {
    part.hidden = !answer && (!may || Boolean(subscription) || stored(LATER) !== null);
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

// Tells the site once a day that this device is to be notified of the seat; the site may have dropped it meanwhile.
async function tell(always) {
  const { pushUrl, pushName } = seat();
  const { endpoint } = subscription;
  let told = {};
  try {
    told = JSON.parse(stored(TOLD)) ?? {};
  } catch {
    // What cannot be read is written anew.
  }
  const known = told[pushName];
  if (!always && known?.endpoint === endpoint && Date.now() - known.at < AGAIN_MS) return true;
  const headers = { "Content-Type": "application/json" };
  const { ok } = await fetch(pushUrl, { method: "POST", headers, body: JSON.stringify(subscription), credentials: "same-origin" });
  const { [pushName]: _, ...others } = told;
  if (ok) stored(TOLD, JSON.stringify(Object.fromEntries([...Object.entries(others).slice(1 - KEPT), [pushName, { endpoint, at: Date.now() }]])));
  return ok;
}

async function turnOn() {
  const { pushDone, pushDenied, pushFailed } = seat();
  try {
    if ((await Notification.requestPermission()) !== "granted") answer = pushDenied;
    else {
      await navigator.serviceWorker.register(WORKER);
      subscription = await subscribe();
      answer = pushDone;
      if (!(await tell(true))) {
        answer = pushFailed;
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
  subscription = null;
  answer = seat()?.pushStopped ?? "";
  stored(LATER, "1");
  stored(TOLD, "{}");
  apply();
  say(answer);
  const headers = { "Content-Type": "application/json" };
  const { pushStop } = document.querySelector("[data-push-stop]").dataset;
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
  stored(LATER, "1");
  apply();
});

document.addEventListener("pbem:shown", () => {
  answer = "";
  apply();
});

async function start() {
  if (!able) return;
  try {
    await look();
    if (subscription && seat()) {
      if (!same(subscription.options?.applicationServerKey, seat().pushKey)) {
        await subscription.unsubscribe(); // it was made for another key of this site
        subscription = await subscribe();
      }
      await tell(false);
    }
  } catch {
    // Without a connection, or where the browser does not let us: it is tried again when a page is opened.
  }
  apply();
}

start();
