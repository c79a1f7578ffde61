// Puts a fetched page of a match in place of the one shown, part by part: what is the same is not touched, so that
// focus, scroll, half-written text and a board that was moved stay as they are.
const main = document.getElementById("main");
const said = document.getElementById("said");

// A page's parts: what stands in its main element and, one by one, what stands in a part that only collects others.
const PARTS = ":scope > *, [data-parts] > *";
const nameOf = (part) => part.dataset.part || part.id;
let headline; // before the page was shown anew
const partOf = (node) => node?.closest?.("#main > *, [data-parts] > *");
const find = (name) => [...main.querySelectorAll(PARTS)].find((part) => name && nameOf(part) === name);

// What the server sent for each part; what is on the page may have been changed by the reader or by other scripts. The
// number that tells two presses of a button apart is new each time, and no change.
const sent = (part) => part.outerHTML.replace(/(name="once" value=)"\w+"/g, "$1");
const sources = new Map();
main.querySelectorAll(PARTS).forEach(remember);

function remember(part) {
  sources.set(nameOf(part), sent(part));
}

// The style sheets of the page, each with what waits until it is here.
const sheetsOf = (root) => [...root.querySelectorAll("link[rel=stylesheet]")].map(({ href }) => href);
const sheets = new Map(sheetsOf(document).map((href) => [href, Promise.resolve()]));

// Waits for the style sheets that the page shown had no use for so far: without them it would show what they hide.
export const styled = (doc) => Promise.all(sheetsOf(doc).map((href) => sheets.get(href) ?? style(href)));

function style(href) {
  const link = Object.assign(document.createElement("link"), { rel: "stylesheet", href });
  const here = new Promise((resolve, reject) => {
    link.onload = resolve;
    link.onerror = () => {
      sheets.delete(href); // it is asked for again with the next page
      link.remove();
      reject(new Error(`no style sheet ${href}`));
    };
  });
  sheets.set(href, here);
  document.head.append(link);
  return here;
}

export const parse = (text) => new DOMParser().parseFromString(text, "text/html");

// Whether the reader has written something that is not sent yet.
export function written(root = main) {
  return [...root.querySelectorAll("input, textarea")].some((field) => field.value !== field.defaultValue);
}

// Shows the page, once it is `styled`. `keep` tells of a part that it stays although it has changed; `from` is what the
// reader pressed: its part stays where it is on the screen, and the focus stays on it or on what has taken its place. On
// a `settled` page nothing fades in as if it had just happened.
export function show(doc, { keep = () => false, from = null, settled = false } = {}) {
  const node = document.activeElement;
  const part = partOf(from ?? node);
  const held = { node, name: part && nameOf(part), href: node?.getAttribute("href") };
  headline = main.querySelector("h1")?.textContent;
  const before = find(held.name)?.getBoundingClientRect().top;
  const fresh = doc.getElementById("main");
  define(doc);
  load(doc);
  main.className = fresh.className;
  main.classList.toggle("settled", settled);
  exchange(main, fresh, keep);
  document.title = doc.title;
  replaceIfNew("header.bar", doc);
  replaceIfNew("footer.foot", doc);
  const after = find(held.name)?.getBoundingClientRect().top;
  if (before !== undefined && after !== undefined) scrollBy({ top: after - before, behavior: "instant" });
  refocus(held);
  document.dispatchEvent(new CustomEvent("pbem:shown"));
}

// Defines those symbols that the page shown has not used so far.
function define(doc) {
  const defined = document.querySelector("svg.defs");
  for (const symbol of doc.querySelectorAll("svg.defs > *")) {
    if (!document.getElementById(symbol.id)) defined.append(document.importNode(symbol, true));
  }
}

// Loads the scripts that the page shown had no use for so far; those inside a part that is put in do not run.
function load(doc) {
  for (const { src } of doc.querySelectorAll("script[src]")) {
    if ([...document.scripts].some((known) => known.src === src)) continue;
    document.head.append(Object.assign(document.createElement("script"), { type: "module", src }));
  }
}

function exchange(root, fresh, keep) {
  let at = root.firstElementChild;
  for (const part of [...fresh.children]) {
    const name = nameOf(part);
    const collects = "parts" in part.dataset;
    const old = [...root.children].find((known) => name && nameOf(known) === name);
    if (old && comes(old, at) && (collects || sources.get(name) === sent(part) || keep(name, old, part))) {
      while (at !== old) at = dropped(at);
      at = old.nextElementSibling;
      if (collects) exchange(old, part, keep);
    } else {
      if (old && old === at) at = dropped(at);
      root.insertBefore(part, at);
      remember(part);
    }
  }
  while (at) at = dropped(at);
}

// Whether the part stands at this place or after it.
function comes(part, at) {
  return part === at || Boolean(at?.compareDocumentPosition(part) & Node.DOCUMENT_POSITION_FOLLOWING);
}

function dropped(node) {
  const next = node.nextElementSibling;
  node.remove();
  return next;
}

function replaceIfNew(selector, doc) {
  const [old, fresh] = [document.querySelector(selector), doc.querySelector(selector)];
  if (old && fresh && !old.isEqualNode(fresh) && !old.contains(document.activeElement)) old.replaceWith(fresh);
}

// The focus goes to the same link, there or elsewhere on the page, else to the chosen move or the heading of the choices.
function refocus({ node, name, href }) {
  if (!node || node === document.body || document.contains(node)) return;
  const part = find(name);
  // A board that is drawn in several shapes has the link in each; those not shown take no focus.
  const here = (a) => a.getAttribute("href") === href && a.getClientRects().length;
  const same = (root) => [...root.querySelectorAll("a")].find(here);
  const alike = (one) => one.className === node.className && one.getClientRects().length;
  const button = !href && part && [...part.querySelectorAll(node.localName)].find(alike);
  const link = href ? ((part && same(part)) ?? same(main)) : button;
  // What is chosen on a board is no link any more: its button is the next stop.
  const next = link || find("confirm") || (find("todo") ?? part ?? main).querySelector("h1, h2") || main;
  next.focus({ preventScroll: true });
}

// Has a screen reader say it.
export function say(text) {
  said.textContent = "";
  setTimeout(() => (said.textContent = text.replace(/\s+/g, " ").trim()), 60);
}

// In words what the page shows now: what is chosen, else what is not possible, else what is to be chosen.
export function choice() {
  const words = (selector) => main.querySelector(selector)?.textContent ?? "";
  const chosen = words("[data-part=confirm] p");
  if (chosen) return `${chosen} ${words("[data-part=confirm] button")}`;
  if (main.querySelector(".slot > .item.no:not([hidden])")) return ""; // an alert is said by itself
  return words(".slot > .item.chosen:not([hidden]) > p") || words(".ask > p");
}

// In words what is new: who must do what, and what has happened.
export function state() {
  const texts = ["h1", ".slot > .item:not([hidden], .no) > p"];
  const found = texts.map((selector) => main.querySelector(selector)?.textContent.trim()).filter(Boolean);
  if (found[0] === headline?.trim()) found.shift();
  return found.map((text) => (/[.!?…]$/.test(text) ? text : `${text}.`)).join(" ");
}
