// Plays a match to its end with the client that `@hey-api/openapi-ts` has made: arguments as in `test_clients`.

const [folder, url, match_id, ...tokens] = process.argv.slice(2);
const { getMatch, getQuestion, answerQuestion } = require(`${folder}/sdk.gen.js`);
const { createClient } = require(`${folder}/client`);

async function play() {
  const seats = tokens.map((token) => createClient({ baseUrl: url, headers: { Authorization: `Bearer ${token}` } }));
  const path = { match_id };
  const said = async (call, client, more) => (await call({ client, path, throwOnError: true, ...more })).data;
  for (;;) {
    const sheet = await said(getMatch, seats[0]);
    if (sheet.status !== "running") return console.log(sheet.status, sheet.outcome.reason);
    const client = seats[sheet.asks[0].seat];
    const question = await said(getQuestion, client);
    const body = { key: question.ask.key, move: question.legal[0].move };
    const { answers } = await said(answerQuestion, client, { body });
    if (answers[0].outcome !== "played") throw new Error(JSON.stringify(answers));
  }
}

play();
