// Plays on boardgame.io: node client.js PORT '{"atOnce": 16, "each": 2, "moves": 150, "warm": 1, "seconds": 6}'
//
// `atOnce` players' tables each play `each` matches of `moves` moves, one after the other; two seats are connected to a
// match, and each move waits until its mover has been told the new state. It ends after `warm` and then `seconds`, or
// when a table has played all of its matches. Prints how long each move after `warm` took, in milliseconds, and the
// seconds from then to the end: {"took": [...], "spent": ...}
"use strict";

const { io } = require("socket.io-client");

const PATIENCE_MS = 20_000;
const port = Number(process.argv[2]);
const { atOnce, each, moves, warm, seconds } = JSON.parse(process.argv[3]);

async function post(path, body) {
  const answer = await fetch(`http://127.0.0.1:${port}/games/count/${path}`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
  return answer.json();
}

function within(promise, what) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what} took more than ${PATIENCE_MS} ms`)), PATIENCE_MS);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

// One seat at one match, on a connection of its own.
class Seat {
  static async join(match, number) {
    const seat = new Seat();
    const { playerCredentials } = await post(`${match}/join`, { playerID: number, playerName: `player ${number}` });
    return Object.assign(seat, { match, number, credentials: playerCredentials, hear: () => {} });
  }

  async connect() {
    const { match, number, credentials } = this;
    const place = `http://127.0.0.1:${port}/count`;
    this.line = io(place, { transports: ["websocket"], forceNew: true, reconnection: false });
    await within(new Promise((resolve, reject) => {
      this.line.on("connect_error", reject);
      this.line.on("connect", () => this.line.emit("sync", match, number, credentials));
      this.line.on("sync", (_, { state }) => { this.at = state._stateID; resolve(); });
      this.line.on("update", (_, state) => { this.at = state._stateID; this.hear(); });
    }), "sitting down");
  }

  // Resolves as soon as this seat is told of the next state.
  news() {
    return within(new Promise((resolve) => { this.hear = resolve; }), "a move");
  }

  // Plays a move; returns the milliseconds until the mover was told the new state. Both seats have been told then.
  async play(other) {
    const { match, number, credentials } = this;
    const told = [this.news(), other.news()];
    const start = performance.now();
    const payload = { type: "add", args: [1], playerID: number, credentials };
    this.line.emit("update", { type: "MAKE_MOVE", payload }, this.at, match, number);
    await told[0];
    const took = performance.now() - start;
    await told[1];
    return took;
  }
}

async function open() {
  const { matchID } = await post("create", { numPlayers: 2 });
  // Both join before either connects: boardgame.io notes who is connected in what it has read before, and so a seat
  // taken meanwhile would be lost.
  const seats = [await Seat.join(matchID, "0"), await Seat.join(matchID, "1")];
  for (const seat of seats) await seat.connect();
  return seats;
}

async function main() {
  const tables = [];
  for (let table = 0; table < atOnce; table += 1) {
    tables.push([]);
    for (let match = 0; match < each; match += 1) tables[table].push(await open());
  }
  const took = [];
  const start = performance.now() + warm * 1000;
  let end = 0;
  await Promise.all(tables.map(async (matches) => {
    for (const seats of matches) {
      for (let move = 0; move < moves && !end; move += 1) {
        const one = await seats[move % 2].play(seats[1 - (move % 2)]);
        const now = performance.now();
        if (now > start && !end) took.push(one);
        if (now > start + seconds * 1000 && !end) end = now;
      }
    }
    end = end || performance.now();
  }));
  if (!took.length) throw new Error("there were too few moves to measure anything");
  // A pipe takes no more than 64 KB at once, and exit does not wait for the rest.
  process.stdout.write(JSON.stringify({ took, spent: (end - start) / 1000 }), () => process.exit(0));
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
