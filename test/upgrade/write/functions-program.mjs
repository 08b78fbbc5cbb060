/**
 * Runs the functions of any version in one process, which the parent process can kill. The parent process sends each call as a
 * message, and gets the answer as a message. Arguments: the folder of the functions, and the number of instances of each as JSON.
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
