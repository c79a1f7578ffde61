// Checks a log of the format pbem-log/2 against itself: the commitment, the words, the chain, the seals and the luck.
//
// It needs nothing but WebCrypto (`crypto.subtle`), which node from version 20 has, and browsers for pages that come by
// https, from this computer or out of a file.
//
// What it cannot do: a log that somebody made up agrees with itself. So compare what comes from a mail with what stands
// here: the commitment with `log.commitment`, a head or a mark with `heads` or `marks`. It knows no rules either. It
// does not know which draws a game needs, under which names, and what may be played.

/**
 * @param log    a pbem-log/2, parsed from JSON
 * @param draws  the list that `pbem verify LOG --draws FILE` writes; leave it out if there is none
 * @returns
 *   commitment        true if the seed of the log fits its commitment; null if the log has no seed
 *   words             for each seat: true if somebody typed its word, false if the word follows from the seed; null if
 *                     the log has no seed, or one that does not fit the commitment
 *   chain             true if the entries lead to the `head` of the log
 *   firstBrokenEntry  the first entry that contradicts itself: it has the wrong number, cannot be read, or has a seal
 *                     that does not fit its value. Null if there is none. A log holds only its last head, so a chain
 *                     that is broken does not show where: a head from a mail does, by its place in `heads`.
 *   seals             true if all sealed values that the log shows fit their seals; null if all that it has are hidden
 *   luck              true if all draws of the list follow from the seed and the words; null without seed or list
 *   heads, marks      the head and the mark after each entry; those at place 0 are from before the first
 */
export async function check(log, draws) {
  if (log?.format !== "pbem-log/2" || !Array.isArray(log.words) || !Array.isArray(log.events)) {
    throw new TypeError("this is not a log of the format pbem-log/2");
  }
  const hasSeed = log.seed !== undefined && log.seed !== null;
  const seedKey = isHash(log.seed) ? await hmacKey(bytesOf(log.seed)) : null;
  const key = seedKey && (await matchKey(seedKey, log));

  const commitment = hasSeed ? seedKey !== null && (await commitmentOf(log)) === log.commitment : null;
  // With a seed that is not the one in the envelope each word would look typed, so then nothing is said of the words.
  const words = commitment ? await typedWords(seedKey, log.words) : null;
  const chain = await checkChain(log);
  const seals = await checkSeals(log.events, key && (await sealKey(key, log)));
  const luck = key && Array.isArray(draws) ? await checkDraws(draws, key, Object.hasOwn(log, "table")) : null;

  const broken = [...chain.broken, ...seals.broken];
  return {
    commitment,
    words,
    chain: chain.fits,
    firstBrokenEntry: broken.length > 0 ? broken.reduce((a, b) => Math.min(a, b)) : null,
    seals: seals.fit,
    luck,
    heads: chain.heads,
    marks: chain.heads.map(markOf),
  };
}

// ---- Commitment, key and words ------------------------------------------------------------------------------------

function commitmentOf(log) {
  return sha256(`pbem/2|commitment|${log.deal}|${log.seed}|${log.words[0]}`);
}

async function matchKey(seedKey, log) {
  return hmacKey(await hmac(seedKey, ["pbem/2|key", log.deal, ...log.words].join("|")));
}

/** Tables that play one deal share the key of their luck, and each has a key of its own for its seals. */
async function sealKey(key, log) {
  return Object.hasOwn(log, "table") ? hmacKey(await hmac(key, `pbem/2|table|${log.table}`)) : key;
}

async function typedWords(seedKey, words) {
  const typed = [];
  for (const [seat, word] of words.entries()) {
    typed.push(word !== (await sha256(await wordFromSeed(seedKey, seat))));
  }
  return typed;
}

/** The hash of a word as somebody types it. */
export function hashWord(typed) {
  const lower = typed.normalize("NFKC").toLowerCase();
  // Neither \s nor trim() will do: they take U+FEFF for white space, and U+001C to U+001F and U+0085 for none.
  const blanks = /[\u0009-\u000d\u001c-\u0020\u0085\u1680\u2028\u2029]+/gu;
  return sha256(lower.replace(blanks, " ").replace(/^ | $/g, ""));
}

/** The word of a seat for which nobody typed one. */
async function wordFromSeed(seedKey, seat) {
  const digest = new DataView((await hmac(seedKey, `pbem/2|word|${seat}`)).buffer);
  return `${proquint(digest.getUint16(0))}-${proquint(digest.getUint16(2))}`;
}

/** Five letters for 16 bits, from the highest: consonants stand for four bits, vowels for two. */
function proquint(bits) {
  const consonant = (shift) => "bdfghjklmnprstvz"[(bits >> shift) & 15];
  const vowel = (shift) => "aiou"[(bits >> shift) & 3];
  return consonant(12) + vowel(10) + consonant(6) + vowel(4) + consonant(0);
}

// ---- Chain and marks ----------------------------------------------------------------------------------------------

/** All heads of the log, whether they lead to its own head, and the entries that cannot stand where they are. */
async function checkChain(log) {
  const heads = [];
  const broken = [];
  try {
    const { commitment, deal, game, options, seats, words } = log;
    const header = { commitment, deal, game, options, seats, words };
    if (Object.hasOwn(log, "table")) header.table = log.table;
    heads.push(await sha256(`pbem/2|chain|${canonical(header)}`));
  } catch (fault) {
    return { fits: notCanonical(fault), heads, broken };
  }
  for (const [place, entry] of log.events.entries()) {
    if (entry?.n !== place + 1) broken.push(place + 1);
    try {
      heads.push(await sha256(`pbem/2|entry|${heads.at(-1)}|${canonical(inChain(entry))}`));
    } catch (fault) {
      // All heads after this one follow from it, so none of them can be known.
      broken.push(place + 1);
      return { fits: notCanonical(fault), heads, broken };
    }
  }
  const fits = broken.length === 0 && log.words.length === log.seats && heads.at(-1) === log.head;
  return { fits, heads, broken };
}

/** An entry as every viewer sees it: no sealed value, no salt, and nothing that the format does not know. */
function inChain(entry) {
  if (!isObject(entry)) throw new NotCanonical("an entry is an object");
  const { at, by, event, key, n, sealed = {} } = entry;
  if (!isObject(sealed)) throw new NotCanonical("the seals of an entry are an object");
  let open = { at, by, event, key, n, sealed };
  for (const path of Object.keys(sealed)) {
    if (!isSealable(path)) throw new NotCanonical("this value cannot have a seal");
    open = withoutValue(open, path.split("."));
  }
  return open;
}

/** A copy of `thing` in which the value at the path is blank; what the path does not lead to stays as it is. */
function withoutValue(thing, path) {
  if (path.length === 0) return blank(thing);
  const [step, ...rest] = path;
  if (typeof thing !== "object" || thing === null || !Object.hasOwn(thing, step)) return thing;
  if (Array.isArray(thing)) return thing.map((one, at) => (String(at) === step ? withoutValue(one, rest) : one));
  return { ...thing, [step]: withoutValue(thing[step], rest) };
}

/** Of a sealed list everybody may know how long it is; of any other sealed value nothing. */
function blank(value) {
  return Array.isArray(value) ? value.map(blank) : null;
}

/** The first 40 bits of a head in Crockford's base 32: five bits are a sign. */
function markOf(head) {
  const bits = BigInt(`0x${head.slice(0, 10)}`);
  const signs = [35n, 30n, 25n, 20n, 15n, 10n, 5n, 0n].map(
    (shift) => "0123456789ABCDEFGHJKMNPQRSTVWXYZ"[Number((bits >> shift) & 31n)],
  );
  return `${signs.slice(0, 4).join("")}-${signs.slice(4).join("")}`;
}

// ---- Seals --------------------------------------------------------------------------------------------------------

/** Whether all values that the log shows fit their seals, and the entries that contradict their own seals. */
async function checkSeals(entries, key) {
  let opened = 0;
  let closed = 0;
  let saltsFit = true;
  const broken = [];
  for (const [place, entry] of entries.entries()) {
    const sealed = entry?.sealed ?? {};
    const salts = entry?.salts ?? {};
    let fits = Object.keys(salts).every((path) => Object.hasOwn(sealed, path));
    for (const [path, seal] of Object.entries(sealed)) {
      const value = isSealable(path) ? valueAt(entry, path.split(".")) : undefined;
      const derived = key ? hex(await hmac(key, `pbem/2|salt|${entry.n}|${path}`)) : undefined;
      const given = Object.hasOwn(salts, path) ? salts[path] : undefined;
      // The salt of the log comes first, so that an entry is not called broken because of a seed that is not its own.
      const salt = given ?? derived;
      if (value === undefined) {
        fits = false;
      } else if (salt !== undefined) {
        opened += 1;
        fits = (await sealFits(seal, salt, value)) && fits;
        if (given !== undefined && derived !== undefined && given !== derived) saltsFit = false;
      } else if (isHidden(value, path)) {
        closed += 1;
      } else {
        // Whoever shows a value has to show its salt too. Else a value could be exchanged by leaving its salt out.
        fits = false;
      }
    }
    if (!fits) broken.push(place + 1);
  }
  if (broken.length > 0 || !saltsFit) return { fit: false, broken };
  return { fit: opened === 0 && closed > 0 ? null : true, broken };
}

async function sealFits(seal, salt, value) {
  try {
    return seal === (await sha256(`pbem/2|seal|${salt}|${canonical(value)}`));
  } catch (fault) {
    return notCanonical(fault);
  }
}

/** The paths that the format knows: `at`, `by`, `event.<field>` and `event.<field>.<i>`. */
function isSealable(path) {
  return path === "at" || path === "by" || /^event\.[^.]+(\.(0|[1-9][0-9]*))?$/.test(path);
}

function valueAt(thing, path) {
  for (const step of path) {
    if (typeof thing !== "object" || thing === null || !Object.hasOwn(thing, step)) return undefined;
    thing = thing[step];
  }
  return thing;
}

/** Whether a value looks as a hidden one does: null, a list of nulls, or `{}` for `by`. */
function isHidden(value, path) {
  if (Array.isArray(value)) return value.every((element) => isHidden(element, path));
  return value === null || (path === "by" && isObject(value) && Object.keys(value).length === 0);
}

// ---- Draws --------------------------------------------------------------------------------------------------------

/**
 * Draws again all that is in the list. Each stream goes on where the draw before it in the list left it. At one of
 * several tables with one deal, what was taken back is drawn once more, so a stream belongs to its entry there.
 */
async function checkDraws(draws, key, shared) {
  const streams = new Map();
  for (const draw of draws) {
    if (!isDraw(draw)) return false;
    const prefix = `pbem/2|${draw.purpose}|${draw.name}|${draw.takebacks}`;
    const own = shared ? `${draw.entry}|${prefix}` : prefix;
    if (!streams.has(own)) streams.set(own, new Stream(key, prefix));
    const stream = streams.get(own);
    if (draw.kind === "below") {
      if ((await stream.below(draw.n)) !== draw.result) return false;
    } else {
      const order = await stream.shuffle(draw.n);
      if (!order.every((thing, place) => thing === draw.result[place])) return false;
    }
  }
  return true;
}

function isDraw(draw) {
  if (!isObject(draw) || typeof draw.purpose !== "string" || typeof draw.name !== "string") return false;
  if (!Number.isSafeInteger(draw.takebacks) || draw.takebacks < 0 || !Number.isSafeInteger(draw.n)) return false;
  if (draw.kind === "below") return draw.n >= 1 && draw.n <= 2 ** 32;
  // The length is compared before anything is shuffled, so that a list cannot ask for more work than it is long.
  return draw.kind === "shuffle" && Array.isArray(draw.result) && draw.result.length === draw.n;
}

/** Random numbers that follow from a key and from the first part of a message; the number of the block is its end. */
export class Stream {
  #key;
  #prefix;
  #block = 0;
  #words = [];

  constructor(key, prefix) {
    this.#key = key;
    this.#prefix = prefix;
  }

  /** The next 32 bits. A digest holds eight times as many. */
  async word() {
    if (this.#words.length === 0) {
      const digest = new DataView((await hmac(this.#key, `${this.#prefix}|${this.#block}`)).buffer);
      for (let place = 0; place < digest.byteLength; place += 4) this.#words.push(digest.getUint32(place));
      this.#block += 1;
    }
    return this.#words.shift();
  }

  /** A number from 0 to n - 1. The words above the last multiple of n are left out: they would favour small numbers. */
  async below(n) {
    const limit = 2 ** 32 - (2 ** 32 % n);
    let word = await this.word();
    while (word >= limit) word = await this.word();
    return word % n;
  }

  /** The numbers from 0 to n - 1 in the order in which they come. */
  async shuffle(n) {
    const order = Array.from({ length: n }, (_, place) => place);
    for (let last = n - 1; last >= 1; last -= 1) {
      const other = await this.below(last + 1);
      [order[last], order[other]] = [order[other], order[last]];
    }
    return order;
  }
}

// ---- Canonical JSON -----------------------------------------------------------------------------------------------

class NotCanonical extends Error {}

/** False for a value that has no canonical JSON. Any other fault is one of this program, and must not look like it. */
function notCanonical(fault) {
  if (fault instanceof NotCanonical) return false;
  throw fault;
}

function canonical(value) {
  if (value === null || typeof value === "boolean") return String(value);
  // JSON.stringify escapes what has to be escaped and no more: quotation marks, backslashes and control characters, of
  // which five have a short form such as \n and the others look like \u001f.
  if (typeof value === "string") return JSON.stringify(value);
  if (typeof value === "number") {
    // Beyond 2^53 the number that was parsed need not be the one that was written.
    if (!Number.isSafeInteger(value)) throw new NotCanonical("not a whole number, or one that is too large");
    return JSON.stringify(value);
  }
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (isObject(value)) {
    const names = Object.keys(value).sort(byCodePoints);
    return `{${names.map((name) => `${JSON.stringify(name)}:${canonical(value[name])}`).join(",")}}`;
  }
  throw new NotCanonical("a value is missing");
}

/** JavaScript compares strings by their UTF-16 units, which puts some signs beyond U+FFFF before others below it. */
function byCodePoints(a, b) {
  const left = Array.from(a, (sign) => sign.codePointAt(0));
  const right = Array.from(b, (sign) => sign.codePointAt(0));
  const place = left.findIndex((point, at) => point !== right[at]);
  if (place === -1) return left.length - right.length;
  return place < right.length ? left[place] - right[place] : 1;
}

// ---- Bytes, hashes and HMAC ---------------------------------------------------------------------------------------

function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isHash(value) {
  return typeof value === "string" && /^[0-9a-f]{64}$/.test(value);
}

export function bytesOf(digits) {
  return Uint8Array.from(digits.match(/../g), (pair) => parseInt(pair, 16));
}

function hex(bytes) {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

function utf8(text) {
  return new TextEncoder().encode(text);
}

async function sha256(text) {
  return hex(new Uint8Array(await crypto.subtle.digest("SHA-256", utf8(text))));
}

export function hmacKey(bytes) {
  return crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
}

async function hmac(key, message) {
  return new Uint8Array(await crypto.subtle.sign("HMAC", key, utf8(message)));
}
