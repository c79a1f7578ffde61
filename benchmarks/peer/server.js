// boardgame.io on PostgreSQL, on loopback alone. In the environment: PORT, and for PostgreSQL PGHOST (the folder of its
// socket), PGDATABASE, PGUSER. Says "ready" as soon as it answers.
"use strict";

const net = require("node:net");
const { Server } = require("boardgame.io/server");
const { PostgresStore } = require("bgio-postgres");

// boardgame.io 0.50 has no setting for the address that it listens on.
const listen = net.Server.prototype.listen;
net.Server.prototype.listen = function (port, ...rest) {
  return listen.call(this, { port, host: "127.0.0.1" }, ...rest);
};

// As small as a game can be: two seats in turn, one number.
const count = {
  name: "count",
  setup: () => ({ total: 0 }),
  turn: { minMoves: 1, maxMoves: 1 },
  moves: { add: ({ G }, number) => { G.total += number; } },
};

const db = new PostgresStore({
  host: process.env.PGHOST,
  database: process.env.PGDATABASE,
  username: process.env.PGUSER,
  logging: false,
  pool: { min: 16, max: 16 },  // a connection for each match that is played at once
});

process.once("SIGTERM", () => process.exit(0));
Server({ games: [count], db, origins: ["http://127.0.0.1"] })
  .run(Number(process.env.PORT))
  .then(() => console.log("ready"));
