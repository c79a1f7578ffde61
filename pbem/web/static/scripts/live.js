// Makes a match's page quick and keeps it fresh: choosing and playing without reloading, and asking now and then
// whether something is new. Without it every choice is a link, the button posts, and the page is as it was loaded.
import { choice, parse, say, show, state, styled, written } from "./swap.js";

const main = document.getElementById("main");
const live = document.getElementById("live");
const news = document.getElementById("news");
const here = () => location.pathname + location.search;
// The page with nothing chosen; how much of a map the reader looks at stays.
const unchosen = () => {
  const extent = new URLSearchParams(location.search).get("extent");
  return live.dataset.path + (extent ? `?${new URLSearchParams({ extent })}` : "");
};
// A bot answers within the first second.
const VISIBLE_MS = [1000, 60000];
const HIDDEN_MS = [30000, 600000];

let shown = here();
let since = Date.now();
let failures = 0;
let timer = 0;
let asking = null;
let going = null;
let done = Promise.resolve();

// --- choosing and playing ---------------------------------------------------------------------------------------

// Fetches a page of this match; null where something else came, which only the browser itself can show.
async function fetched(url, options) {
  const answer = await fetch(url, { cache: "no-store", credentials: "same-origin", ...options });
  const doc = answer.status === 304 ? null : parse(await answer.text());
  return { answer, doc, ours: Boolean(doc?.getElementById("live")) };
}

// Goes to a page of this match without reloading it. `otherwise` does it the browser's own way.
const go = (url, how) => (done = gone(url, how));

async function gone(url, { body, from, push, otherwise }) {
  going?.abort();
  asking?.abort();
  const mine = (going = Object.assign(new AbortController(), { chooses: body ? null : url }));
  main.setAttribute("aria-busy", "true");
  try {
    const { answer, doc, ours } = await fetched(url, { method: body ? "POST" : "GET", body, signal: mine.signal });
    if (!ours) return otherwise();
    await styled(doc);
    mine.signal.throwIfAborted();
    if (push && (answer.redirected || !body)) history.pushState(null, "", answer.redirected ? answer.url : url);
    shown = here();
    if (body && !answer.url.includes("pick=")) played(doc);
    else chosen(doc, from); // a typed move is a choice like any other
  } catch (error) {
    if (error.name !== "AbortError") otherwise();
  } finally {
    if (going === mine) {
      going = null;
      main.removeAttribute("aria-busy");
      schedule();
    }
  }
}

// What the reader writes beside the board is kept while they choose and play; a move that they type, for its question.
const keyOf = (part) => part.querySelector("[name=key]")?.value;
const kept = (name, old, fresh) => Boolean(old.closest("[data-parts]")) && written(old) && keyOf(old) === keyOf(fresh);

function chosen(doc, from) {
  show(doc, { from, settled: true, keep: kept });
  known(doc);
  say(choice());
}

function played(doc) {
  show(doc, { keep: kept });
  known(doc);
  since = Date.now();
  scrollTo({ top: 0, behavior: "instant" });
  main.querySelector("h1")?.focus({ preventScroll: true });
  say(state());
}

function known(doc) {
  const { tag, over } = doc.getElementById("live").dataset;
  live.dataset.tag = tag;
  if (over !== undefined) live.dataset.over = "";
  news.hidden = true;
}

document.addEventListener("click", (event) => {
  const link = event.target.closest?.("#main a, #news a");
  const plain = event.button === 0 && !(event.ctrlKey || event.metaKey || event.shiftKey || event.altKey);
  if (!link || !plain || event.defaultPrevented) return;
  const url = new URL(link.getAttribute("href"), location.href);
  if (url.origin + url.pathname !== location.origin + live.dataset.path || url.hash) return;
  event.preventDefault();
  go(url.href, { from: link, push: true, otherwise: () => location.assign(url.href) });
});

document.addEventListener("submit", (event) => {
  const form = event.target;
  const aside = form.dataset.aside !== undefined;
  if (!form.closest("#main") || (!aside && new URL(form.action).pathname !== live.dataset.path)) return;
  event.preventDefault();
  // Another choice is on its way: the sentence above the button is not what the reader wants any more.
  if (going && going.chooses !== location.href) return;
  // Sending it twice does no harm: the question's key goes with the move.
  const otherwise = () => form.submit();
  const body = new URLSearchParams(new FormData(form));
  if (aside) sent(form, body, otherwise);
  else go(form.action, { body, push: true, otherwise });
});

// What is said beside the board leaves what is chosen on it as it is; what the answer has to say stands by the form.
async function sent(form, body, otherwise) {
  const text = form.querySelector("[name]");
  const field = `[name="${text.name}"]`;
  text.readOnly = true; // what would be written now would be thrown away with what is sent
  let word = null;
  try {
    const { answer, doc, ours } = await fetched(form.action, { method: "POST", body });
    if (!answer.ok || !ours) return otherwise();
    word = doc.querySelector("#main .notice");
  } catch {
    return otherwise();
  }
  text.readOnly = false;
  form.reset();
  await done; // a move that is on its way is not called back
  await go(location.href, { otherwise: () => location.reload() });
  const next = main.querySelector(field);
  if (word) next?.form.append(word);
  next?.focus({ preventScroll: true });
}

window.addEventListener("popstate", () => {
  if (here() !== shown) go(location.href, { otherwise: () => location.reload() });
});

// --- staying fresh ----------------------------------------------------------------------------------------------

const picked = () =>
  (/[?&](pick|move|no)=/.test(location.search) && main.querySelector("[data-part=todo]")) ||
  main.querySelector(".trouble, .item.no:not([hidden]), .card[open], .strip details[open]");

function wait() {
  const [least, most] = document.hidden ? HIDDEN_MS : VISIBLE_MS;
  const grown = Math.min(Math.max((Date.now() - since) / 8, least), most);
  return Math.min(grown * 2 ** failures, HIDDEN_MS[1]);
}

function schedule() {
  clearTimeout(timer);
  if (live.dataset.over === undefined && news.hidden) timer = setTimeout(ask, wait());
}

async function ask() {
  if (going) return;
  asking?.abort(); // of two answers the older one may come last
  const mine = (asking = new AbortController());
  try {
    const headers = { "If-None-Match": `W/"${live.dataset.tag}"` };
    const { answer, doc, ours } = await fetched(unchosen(), { headers, signal: mine.signal });
    failures = answer.status < 500 && answer.status !== 429 ? 0 : failures + 1;
    if (ours) await styled(doc);
    mine.signal.throwIfAborted();
    if (ours && answer.ok) moved(doc);
    else if (!failures && answer.status !== 304) return; // the link has been renewed: nothing more comes by it
  } catch (error) {
    if (error.name === "AbortError") return;
    failures += 1;
  }
  schedule();
}

// Something is new. What the reader has chosen or written is kept: they are told, and look when they want to.
function moved(doc) {
  if (picked() || written()) {
    document.title = doc.title;
    news.hidden = false;
    say(news.textContent);
    return;
  }
  since = Date.now();
  show(doc);
  known(doc);
  history.replaceState(null, "", unchosen());
  shown = here();
  say(state());
}

document.addEventListener("visibilitychange", () => {
  if (document.hidden) return schedule();
  since = Date.now();
  clearTimeout(timer);
  if (live.dataset.over === undefined && news.hidden) ask();
});

schedule();
