// Checks a log of the format pbem-log/2 as docs/chance.md says: commitment, words, chain, seals and luck; and finds the
// entry that a mark belongs to. Nothing is known of games here, and nothing is fetched; the browser itself hashes.

const FORMAT = "pbem-log/2";
const WORDS = 2 ** 32;
const MOST_DRAWN = 100_000;
const SIGNS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const CONSONANTS = "bdfghjklmnprstvz";
const VOWELS = "aiou";
const DIGITS = /^[0-9a-f]{64}$/;
const PATH = /^(?:at|by|event\.[A-Za-z_]\w*(?:\.(?:0|[1-9]\d{0,3}))?)$/;

// Why something cannot be checked.
export const NO_HASHES = "no_hashes";
export const OLD_FORMAT = "old_format";
export const NO_SEED = "no_seed";
export const NO_DRAWS = "no_draws";

// True if this browser can hash; over plain HTTP it cannot.
export const canHash = () => globalThis.crypto?.subtle !== undefined;

// --- hashes ----------------------------------------------------------------------------------------------------------

const bytes = (text) => new TextEncoder().encode(text);
const hex = (digest) => [...digest].map((byte) => byte.toString(16).padStart(2, "0")).join("");
const unhex = (digits) => Uint8Array.from(digits.match(/../g), (two) => parseInt(two, 16));

async function sha256(text) {
  return hex(new Uint8Array(await crypto.subtle.digest("SHA-256", bytes(text))));
}

// A function that returns the HMAC-SHA256 of a text under this key, as 32 bytes.
async function keyed(key) {
  const imported = await crypto.subtle.importKey("raw", key, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  return async (text) => new Uint8Array(await crypto.subtle.sign("HMAC", imported, bytes(text)));
}

// Names come in the order of their code points, which is not that of JavaScript's own sorting.
function byCodePoints(one, other) {
  const [a, b] = [[...one], [...other]];
  const at = a.findIndex((sign, i) => sign !== b[i]);
  if (at < 0) return a.length - b.length;
  return at < b.length ? a[at].codePointAt(0) - b[at].codePointAt(0) : 1;
}

// Canonical JSON. Throws a TypeError for what it cannot write, such as a fraction.
export function canonical(value) {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (value !== null && typeof value === "object") {
    const names = Object.keys(value).sort(byCodePoints);
    return `{${names.map((name) => `${JSON.stringify(name)}:${canonical(value[name])}`).join(",")}}`;
  }
  const whole = typeof value !== "number" || Number.isSafeInteger(value);
  if (value === undefined || !whole) throw new TypeError(`${value} is not in canonical JSON`);
  return JSON.stringify(value);
}

// --- words, commitment and key ---------------------------------------------------------------------------------------

// White space as docs/chance.md lists it, which is not that of JavaScript.
const BLANKS = /[\x09-\x0d\x1c-\x20\x85\u1680\u2028\u2029]+/;

export function hashWord(word) {
  const parts = word.normalize("NFKC").toLowerCase().split(BLANKS);
  return sha256(parts.filter((part) => part).join(" "));
}

// The seats whose word this is.
export async function seatsWithWord(log, typed) {
  if (log.format !== FORMAT) return [];
  const hash = await hashWord(typed);
  return log.words.flatMap((word, seat) => (word === hash ? [seat] : []));
}

// The word of a seat for which nobody typed one.
export async function wordFromSeed(seed, seat) {
  const [a, b, c, d] = (await (await keyed(unhex(seed)))(`pbem/2|word|${seat}`)).values();
  return `${proquint((a << 8) | b)}-${proquint((c << 8) | d)}`;
}

function proquint(bits) {
  const [first, one, second, two, third] = [bits >> 12, (bits >> 10) & 3, (bits >> 6) & 15, (bits >> 4) & 3, bits & 15];
  return CONSONANTS[first] + VOWELS[one] + CONSONANTS[second] + VOWELS[two] + CONSONANTS[third];
}

export const commitmentOf = (deal, seed, word) => sha256(`pbem/2|commitment|${deal}|${seed}|${word}`);

export async function keyOfLuck(deal, seed, words) {
  return (await keyed(unhex(seed)))(["pbem/2|key", deal, ...words].join("|"));
}

// The key of the seals of a table, from the key of its luck.
export async function keyOfSeals(key, table) {
  return table === undefined ? key : (await keyed(key))(`pbem/2|table|${table}`);
}

// --- draws -----------------------------------------------------------------------------------------------------------

// A stream of luck: `below` and `shuffle` draw from it one after the other.
export class Stream {
  #words = [];
  #block = 0;

  constructor(hmac, purpose, name, takebacks) {
    this.hmac = hmac;
    this.prefix = `pbem/2|${purpose}|${name}|${takebacks}`;
  }

  async below(n) {
    const limit = WORDS - (WORDS % n);
    for (;;) {
      const word = await this.#word();
      if (word < limit) return word % n;
    }
  }

  async shuffle(n) {
    const order = Array.from({ length: n }, (_, place) => place);
    for (let last = n - 1; last > 0; last--) {
      const other = await this.below(last + 1);
      [order[last], order[other]] = [order[other], order[last]];
    }
    return order;
  }

  async #word() {
    if (!this.#words.length) {
      const digest = await this.hmac(`${this.prefix}|${this.#block++}`);
      const view = new DataView(digest.buffer);
      for (let at = 0; at < 32; at += 4) this.#words.push(view.getUint32(at));
    }
    return this.#words.shift();
  }
}

export async function streamOf(key, purpose, name, takebacks) {
  return new Stream(await keyed(key), purpose, name, takebacks);
}

// --- seals, chain and marks ------------------------------------------------------------------------------------------

export async function saltOf(key, n, path) {
  return hex(await (await keyed(key))(`pbem/2|salt|${n}|${path}`));
}

export const sealOf = (salt, value) => sha256(`pbem/2|seal|${salt}|${canonical(value)}`);

const hidden = (value) => (Array.isArray(value) ? value.map(hidden) : null);

// Whether the document hides the value; an empty list is not hidden, for its length is public.
function isHidden(value) {
  if (Array.isArray(value)) return value.length > 0 && value.every(isHidden);
  return value === null || (typeof value === "object" && Object.keys(value).length === 0);
}

const own = (holder, name) => holder !== null && typeof holder === "object" && Object.hasOwn(holder, name);

// The object and the name in it that a path leads to; undefined if the entry has no such place.
function place(entry, path) {
  if (!PATH.test(path)) return undefined;
  const names = path.split(".");
  const name = names.pop();
  let holder = entry;
  for (const one of names) {
    if (!own(holder, one)) return undefined;
    holder = holder[one];
  }
  return own(holder, name) && (names.length < 2 || Array.isArray(holder)) ? { holder, name } : undefined;
}

// The entry as it stands in the chain. Throws a TypeError if a seal is for nothing that the entry has.
function inChain({ at, by, event, key, n, sealed = {} }) {
  const shown = structuredClone({ at, by, event, key, n });
  for (const path of Object.keys(sealed)) {
    const found = place(shown, path);
    if (!found) throw new TypeError(`entry ${n} has no ${path}`);
    found.holder[found.name] = hidden(found.holder[found.name]);
  }
  return { ...shown, sealed };
}

// `table` is there only if other tables play the same deal.
export function firstHead({ commitment, deal, game, options, seats, words, table }) {
  const header = { commitment, deal, game, options, seats, words, ...(table === undefined ? {} : { table }) };
  return sha256(`pbem/2|chain|${canonical(header)}`);
}

export const nextHead = (head, entry) => sha256(`pbem/2|entry|${head}|${canonical(inChain(entry))}`);

// The heads before the first entry and after each.
export async function headsOf(log) {
  const heads = [await firstHead(log)];
  for (const entry of log.events) heads.push(await nextHead(heads.at(-1), entry));
  return heads;
}

export function markOf(head) {
  const bits = BigInt(`0x${head.slice(0, 10)}`);
  const signs = Array.from({ length: 8 }, (_, at) => SIGNS[Number((bits >> BigInt(5 * (7 - at))) & 31n)]).join("");
  return `${signs.slice(0, 4)}-${signs.slice(4)}`;
}

// The mark, or the 64 digits of a head, that somebody copied or typed; null if it is neither.
export function readMark(text) {
  const digits = text.replace(/\s/g, "").toLowerCase();
  if (DIGITS.test(digits)) return digits;
  const signs = text.replace(/[^\p{L}\p{N}]/gu, "").toUpperCase().replace(/[IL]/g, "1").replace(/O/g, "0");
  if (signs.length !== 8 || [...signs].some((sign) => !SIGNS.includes(sign))) return null;
  return `${signs.slice(0, 4)}-${signs.slice(4)}`;
}

// The number of the entry after which the log has this mark or head, the last of several; 0 is before the first entry,
// null is none. Throws a RangeError for a text that is neither a mark nor a head.
export async function findMark(log, text) {
  const wanted = readMark(text);
  if (wanted === null) throw new RangeError("neither a mark nor 64 digits");
  if (log.format !== FORMAT) return null;
  const at = (await headsOf(log)).findLastIndex((head) => wanted === (wanted.length === 64 ? head : markOf(head)));
  return at < 0 ? null : at;
}

// --- the checks ------------------------------------------------------------------------------------------------------

// Each check is {what, result, count, …}; `result` is "holds", "broken" (at `entry`, where one is at fault) or
// "unchecked" (`why`). `count` says of how much: digits of the commitment, words that somebody typed, entries, sealed
// values, draws.
const holds = (what, count, more = {}) => ({ what, result: "holds", count, ...more });
const broken = (what, entry = null, more = {}) => ({ what, result: "broken", entry, ...more });
const unchecked = (what, why) => ({ what, result: "unchecked", why });

const CHECKS = { commitment: checkCommitment, words: checkWords, chain: checkChain, seals: checkSeals, luck: checkLuck };

// Checks a log with the list of what was drawn in it, or without that list.
export async function checkLog(log, draws = null) {
  if (!canHash()) return Object.keys(CHECKS).map((what) => unchecked(what, NO_HASHES));
  if (log.format !== FORMAT) return Object.keys(CHECKS).map((what) => unchecked(what, OLD_FORMAT));
  const results = [];
  for (const [what, check] of Object.entries(CHECKS)) {
    try {
      results.push(await check(log, draws));
    } catch (error) {
      // What is not even of the form that a log has does not hold.
      if (!(error instanceof TypeError)) throw error;
      results.push(broken(what));
    }
  }
  return results;
}

const opened = (log) => log.viewer === "all" && log.seed !== undefined && log.seed !== null;

// The seed and the key of the luck. Throws a TypeError if they are of another form.
function keyOf(log) {
  if (!DIGITS.test(log.seed) || !log.words.every((word) => DIGITS.test(word))) throw new TypeError("no seed or word");
  return keyOfLuck(log.deal, log.seed, log.words);
}

async function checkCommitment(log) {
  if (!opened(log)) return unchecked("commitment", NO_SEED);
  const made = await commitmentOf(log.deal, log.seed, log.words[0]);
  return DIGITS.test(log.seed) && made === log.commitment ? holds("commitment", 64) : broken("commitment");
}

async function checkWords(log) {
  if (!opened(log)) return unchecked("words", NO_SEED);
  await keyOf(log);
  if (log.words.length !== log.seats) return broken("words");
  const derived = await Promise.all(log.words.map(async (_, seat) => hashWord(await wordFromSeed(log.seed, seat))));
  const typed = log.words.filter((word, seat) => word !== derived[seat]).length;
  // The commitment covers the word of seat 0, so only those of others came after it.
  return holds("words", typed, { of: log.seats, others: typed - (log.words[0] !== derived[0] ? 1 : 0) });
}

async function checkChain(log) {
  for (const [at, entry] of log.events.entries()) {
    if (entry.n !== at + 1) return broken("chain", at + 1);
    try {
      inChain(entry);
    } catch {
      return broken("chain", entry.n);
    }
  }
  const heads = await headsOf(log);
  return heads.at(-1) === log.head ? holds("chain", log.events.length) : broken("chain");
}

// In a full log all seals are opened with the key; in another one those of what its viewer sees, with its salts.
async function checkSeals(log) {
  if (log.viewer === "all" && !opened(log)) return unchecked("seals", NO_SEED);
  const hmac = opened(log) ? await keyed(await keyOfSeals(await keyOf(log), log.table)) : null;
  const salt = async ({ n, salts = {} }, path) => (hmac ? hex(await hmac(`pbem/2|salt|${n}|${path}`)) : salts[path]);
  let count = 0;
  let closed = 0;
  for (const entry of log.events) {
    const { sealed = {}, salts = {} } = entry;
    const unsealed = Object.keys(salts).find((path) => !own(sealed, path));
    if (unsealed !== undefined) return broken("seals", entry.n, { path: unsealed });
    for (const [path, seal] of Object.entries(sealed)) {
      const found = place(entry, path);
      if (!found) return broken("seals", entry.n, { path });
      const value = found.holder[found.name];
      if (!hmac && !own(salts, path) && isHidden(value)) {
        closed++;
        continue;
      }
      const one = await salt(entry, path);
      if (one === undefined || (await sealOf(one, value)) !== seal) return broken("seals", entry.n, { path });
      if (own(salts, path) && salts[path] !== one) return broken("seals", entry.n, { path });
      count++;
    }
  }
  return holds("seals", count, { closed });
}

async function checkLuck(log, draws) {
  if (!opened(log)) return unchecked("luck", NO_SEED);
  if (draws === null) return unchecked("luck", NO_DRAWS);
  const hmac = await keyed(await keyOf(log));
  const streams = new Map();
  let before = 0;
  for (const draw of draws) {
    const { entry, name, purpose, takebacks } = draw;
    const taken = log.events.slice(0, entry - 1).filter(({ event }) => event.type === "Undone").length;
    const counted = log.table === undefined ? taken : 0;
    const id = JSON.stringify([purpose, name, taken]);
    // A name makes one stream, for one decision: nobody can draw again under it, but for what was taken back. There it
    // gives the same once more if other tables play the deal, else something new.
    if (!streams.has(id)) streams.set(id, { entry, stream: new Stream(hmac, purpose, name, takebacks) });
    const fits = streams.get(id).entry === entry && entry >= before && takebacks === counted && belongs(log, draw);
    if (!fits || !(await comesOut(streams.get(id).stream, draw))) return broken("luck", entry, { name });
    before = entry;
  }
  return holds("luck", draws.length);
}

// Whether this may have been drawn at its entry. Under which names the rules draw there, only they can say.
function belongs({ events }, { entry, name, purpose }) {
  if (!Number.isSafeInteger(entry) || entry < 1 || entry > events.length) return false;
  if (purpose === "decide") return true;
  const { key, by } = events[entry - 1];
  const seat = { fallback: by.clock, bot: by.bot }[purpose];
  return seat !== undefined && key !== null && name === `${key.split("~")[0]}:s${seat}`;
}

async function comesOut(stream, { kind, n, result }) {
  if (!Number.isSafeInteger(n) || n < 0) return false;
  if (kind === "below") return n >= 1 && n <= WORDS && (await stream.below(n)) === result;
  return kind === "shuffle" && n <= MOST_DRAWN && canonical(await stream.shuffle(n)) === canonical(result);
}
