// A replay that was saved as a page: boards and log are in the page, which shows them and checks the log by itself.
import { start } from "./replay-viewer.js";
import { canHash, checkLog, findMark, readMark, seatsWithWord } from "./proof.js";

const CHUNK = 100;
const $ = (id) => document.getElementById(id);
const told = (id) => JSON.parse($(id).textContent);
const texts = told("texts");
const log = told("log");
const names = told("names");
const list = new Intl.ListFormat(document.documentElement.lang);
const plural = new Intl.PluralRules(document.documentElement.lang);

// --- boards ----------------------------------------------------------------------------------------------------------

let packed;

async function unpack() {
  const bytes = Uint8Array.from(atob($("boards").textContent), (sign) => sign.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  return new Response(stream).json();
}

// The symbols of all boards are in the page.
async function load(from) {
  packed ??= unpack();
  const { pieces, frames } = await packed;
  const chosen = frames.slice(from - 1, from - 1 + CHUNK);
  const board = (frame, at) => ({ n: from + at, svg: frame.map((piece) => pieces[piece]).join("") });
  return { symbols: "", frames: chosen.map(board) };
}

// --- the check -------------------------------------------------------------------------------------------------------

// A text of the page, filled in; `count` decides between one and several.
function say(name, facts = {}) {
  const text = texts[name];
  const form = typeof text === "string" ? text : (text[plural.select(facts.count)] ?? text.other);
  return form.replace(/\{(\w+)\}/g, (_, fact) => facts[fact]);
}

function sentence({ what, result, why, entry, count, others, closed }) {
  if (result === "unchecked") return say(`${what}_unchecked_${why}`);
  const wrong = entry === null || entry === undefined ? "broken" : "broken_at";
  if (result === "broken") return say(`${what}_${wrong}` in texts ? `${what}_${wrong}` : `${what}_broken`, { entry });
  if (what === "luck" && count === 0) return say("luck_none");
  const kept = closed ? ` ${say("seals_closed", { count: closed })}` : "";
  return say(`${what}_holds`, { count: others ?? count }) + kept;
}

function line(result, text) {
  const item = document.createElement("li");
  const name = document.createElement("b");
  name.textContent = texts[result];
  item.className = result;
  item.append(name, " ", text);
  return item;
}

// Where nobody but the organiser typed a word, nothing is wrong, and yet nothing is shown.
function lineOf(one) {
  const alone = one.what === "words" && one.result === "holds" && one.others === 0;
  return alone ? line("unchecked", say("words_none")) : line(one.result, sentence(one));
}

function overall(checks) {
  const has = (result) => checks.some((check) => check.result === result);
  if (has("broken")) return "all_broken";
  if (!has("unchecked")) return "all_holds";
  const whole = checks.every((check) => check.result === "unchecked");
  return whole && `all_${checks[0].why}` in texts ? `all_${checks[0].why}` : "all_partly";
}

async function check() {
  const checks = await checkLog(log, told("draws"));
  const head = document.createElement("p");
  head.className = overall(checks) === "all_broken" ? "notice trouble" : "notice";
  head.textContent = say(overall(checks));
  const list = document.createElement("ul");
  list.className = "checks";
  const same = checks.every(({ why }) => why === "no_hashes" || why === "old_format");
  if (!same) list.append(...checks.map(lineOf));
  list.append(line("unchecked", say("rules_unchecked")), line("unchecked", say("left_unchecked")));
  $("checked").replaceChildren(head, list);
}

// --- words and mails ------------------------------------------------------------------------------------------------

function isCommitment(typed) {
  const digits = typed.replace(/[^\p{L}\p{N}]/gu, "").toLowerCase();
  return [16, 64].includes(digits.length) && log.commitment?.startsWith(digits);
}

async function agree(typed) {
  if (log.commitment === undefined) return [say("mail_old_format")];
  if (isCommitment(typed)) return [say("mail_commitment")];
  if (!canHash()) return [say("all_no_hashes")];
  const seats = await seatsWithWord(log, typed);
  if (seats.length) return [say("mail_word", { names: list.format(seats.map((seat) => names[seat])) })];
  const wanted = readMark(typed);
  if (wanted === null) return [say("mail_unreadable")];
  const entry = await findMark(log, typed);
  if (entry === null) return [say("mail_other")];
  const step = told("entries").findLastIndex((n) => n <= entry) + 1;
  if (step === 0) return [say("mail_before")];
  const link = document.createElement("a");
  link.href = `#step=${step}`;
  link.textContent = say("mail_show", { step });
  return [say(wanted.length === 64 ? "mail_step" : "mail_mark", { step }), " ", link];
}

// --- the log as a file -----------------------------------------------------------------------------------------------

function saveLog() {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([$("log").textContent], { type: "application/json" }));
  link.download = $("save-log").dataset.name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href));
}

for (const part of document.querySelectorAll("[data-scripted]")) part.hidden = false;
start($("replay"), load, () => ($("lost").hidden = false));
$("check").addEventListener("click", check);
$("save-log").addEventListener("click", saveLog);
$("mail").addEventListener("submit", async (event) => {
  event.preventDefault();
  $("agreed").replaceChildren(...(await agree($("mark").value)));
});
