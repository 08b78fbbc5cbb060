/**
 * The functions of any version in one process, which may be killed: calls and answers are messages. Arguments: their folder, and
 * the number of instances of each.
 */
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const TIME_MS = 60_000;

const [folder, counts] = process.argv.slice(2);
const handlers = new Map();
for (const [name, count] of Object.entries(JSON.parse(counts))) {
  const { href } = pathToFileURL(join(folder, name, "index.mjs"));
  // A module with another URL is a separate instance.
  const instances = Array.from({ length: count }, (_, i) => import(`${href}?instance=${i}`));
  handlers.set(
    name,
    (await Promise.all(instances)).map(({ handler }) => handler),
  );
}

process.on("message", async ({ number, name, instance, event }) => {
  const endsAtMs = Date.now() + TIME_MS;
  try {
    const context = { getRemainingTimeInMillis: () => endsAtMs - Date.now() };
    process.send({ number, answer: await handlers.get(name)[instance](event, context) });
  } catch (error) {
    process.send({ number, error: String(error) });
  }
});
process.send({ number: 0 });
