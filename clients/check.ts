/** A client of every game, typed by pbem.d.ts alone. It is compiled by a test, and may be copied as a beginning. */

import type { components, paths } from "./pbem";

type Schemas = components["schemas"];
type Question = Schemas["Question"];
type Of<G extends Question["game"]> = Extract<Question, { game: G }>;
type Told<P extends keyof paths, M extends keyof paths[P], S extends number> = paths[P][M] extends {
  responses: { [K in S]: { content: { "application/json": infer Body } } };
}
  ? Body
  : never;

function first<T>(list: readonly T[]): T {
  const found = list[0];
  if (found === undefined) throw new Error("an open question has a legal move");
  return found;
}

/** A clan that nobody has called yet, else whatever is legal: `type` tells a game's moves apart. */
function hogen(question: Of<"hogen">): Schemas["hogen.Move"] {
  for (const { move } of question.legal) {
    switch (move.type) {
      case "Call":
        if (move.clan === "F") return { type: "Call", clan: move.clan, rank: move.rank ?? null };
        break;
      case "Exchange":
        return { type: "Exchange", give: move.give, take: move.take };
      case "ChooseAlly":
        return { type: "ChooseAlly", card: move.card };
      case "Declare":
        break; // rather not
    }
  }
  return first(question.legal).move;
}

function niigata(question: Of<"niigata">): Schemas["niigata.Move"] {
  const { move } = first(question.legal);
  return move.type === "Place" ? { type: "Place", tile: move.tile, cell: move.cell, rotation: move.rotation ?? 0 } : move;
}

function hagakure(question: Of<"hagakure">): Schemas["hagakure.Move"] {
  const cards = question.legal.flatMap(({ move }) => (move.type === "Play" ? [move.card] : []));
  return cards.length > 0 ? { type: "Play", card: Math.max(...cards) } : { type: "Keep" };
}

function allegeance(question: Of<"allegeance">): Schemas["allegeance.Move"] {
  const { move } = first(question.legal);
  switch (move.type) {
    case "Announce":
      return { type: "Announce", card: move.card };
    case "Give":
      return { type: "Give", seat: move.seat };
    case "Challenge":
    case "LetPass":
      return { type: "LetPass" };
  }
}

function hexen(question: Of<"hexen-rennen">): Schemas["hexen-rennen.Move"] {
  const { move } = first(question.legal);
  return move.type === "Fly" ? { type: "Fly", origin: move.origin } : move;
}

/** `game` tells the games apart; a game that is missing here does not compile. */
function choose(question: Question): Schemas["Move"] {
  switch (question.game) {
    case "allegeance":
      return allegeance(question);
    case "hagakure":
      return hagakure(question);
    case "hexen-rennen":
      return hexen(question);
    case "hogen":
      return hogen(question);
    case "niigata":
      return niigata(question);
    default: {
      const unknown: never = question;
      return unknown;
    }
  }
}

/** What is asked for, or the problem that stands in its way. */
async function call<T>(site: string, token: string, path: string, body?: unknown): Promise<T> {
  const sent = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
  const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json" };
  const answer = await fetch(`${site}/api/v1${path}`, { ...sent, headers });
  if (answer.ok) return (await answer.json()) as T;
  const problem = (await answer.json()) as Schemas["Problem"];
  throw new Error(`${problem.status} ${problem.code}: ${problem.detail}`);
}

/** A match of Hogen against two bots; the answer has its id. */
export async function start(site: string, token: string): Promise<string> {
  const wanted: Schemas["NewMatch"] = {
    game: "hogen",
    language: "en",
    seats: [{ name: "Alice", email: "alice@example.org" }, { bot: "random" }, { bot: "random" }],
  };
  const made = await call<Told<"/api/v1/matches", "post", 201>>(site, token, "/matches", wanted);
  return made.id;
}

/** Answers what is asked; says whether there was anything. */
export async function answer(site: string, token: string, match: string): Promise<boolean> {
  const path = `/matches/${match}`;
  const question = await call<Told<"/api/v1/matches/{match_id}/ask", "get", 200>>(site, token, `${path}/ask`);
  if (question.ask === null) return false;
  const sent: Schemas["Answer"] = { key: question.ask.key, move: choose(question) };
  const told = await call<Told<"/api/v1/matches/{match_id}/moves", "post", 201>>(site, token, `${path}/moves`, sent);
  for (const { event } of told.events) {
    if (event.type === "AllyChosen") console.log(`seat ${event.seat} has chosen ${event.card ?? "a card"}`);
  }
  return true;
}

/** How many cards the caller holds: the state of each game has its own type. */
export function cards(position: Schemas["Position"]): number {
  if (position.game !== "hogen" || position.state === null || position.viewer === null) return 0;
  return position.state.hands[position.viewer]?.length ?? 0;
}
