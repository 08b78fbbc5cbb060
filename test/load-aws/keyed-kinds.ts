/** Workflows whose promise has two completers, and objects whose state an operator edits. */
import { randomUUID } from "node:crypto";
import type { StateBody } from "../../shared/api/contract/state.ts";
import type { HandlerResult } from "./handlers/results.ts";
import { newKey, type Scene } from "./scene.ts";

export async function runWorkflow({ book, client, prefix }: Scene): Promise<void> {
  const workflow = `${prefix}Vote/${randomUUID()}`;
  const submission = book.open("workflow", "send");
  const id = await client.send(`${workflow}/run`, undefined, undefined);
  submission.invocationId = id;
  const voices = await Promise.all(
    ["yes", "no"].map(async (voice) => ({ voice, ...(await client.call(`${workflow}/decide`, voice)) })),
  );
  for (const { invocationId } of voices) book.know(invocationId);
  const ended = await client.result(id);
  book.close(submission, ended);
  const told = book.told<HandlerResult>("workflow", ended);
  if (told === undefined) return;
  await book.account("workflow", told, ["begin", "end"], submission.submittedAtMs);
  submission.endedAtMs = told.recorded.at(-1)!.atMs;
  // A completer with a 409 may have won by an earlier request whose answer was lost.
  const winners = voices.filter(({ status, wasAskedAgain }) => status === 200 || wasAskedAgain);
  const refused = voices.filter(({ status }) => status === 409);
  const isTold = winners.some(({ voice }) => voice === told.value);
  if (!isTold || voices.length - refused.length > 1) {
    book.complain(`${id} got ${told.value} from its promise, and the completers got ${JSON.stringify(voices)}`);
  }
  const left = await client.call(`${workflow}/verdict`, undefined);
  book.know(left.invocationId);
  if (left.text !== JSON.stringify(told.value)) book.complain(`${id} left ${left.text} instead of ${told.value}`);
}

/** Adds to a new object, edits the state if it still has the version that was read, and adds again. */
export async function editState({ book, client, prefix, random }: Scene): Promise<void> {
  const key = randomUUID();
  const service = `${prefix}Tally`;
  const add = async (amount: number) => {
    const submission = book.open("add around an edit", "call");
    const ended = await client.call(`${service}/${key}/add`, amount, newKey());
    book.close(submission, ended);
    await book.account(
      "add",
      book.told<HandlerResult>("add", ended) ?? NOTHING,
      ["enter", "leave"],
      submission.submittedAtMs,
    );
    return ended;
  };
  await add(1);
  const path = `/services/${service}/state`;
  const read = await client.admin({ path: `${path}?object_key=${key}` });
  const { version } = JSON.parse(read.text) as StateBody;
  const sum = Math.floor(random() * 1_000);
  const edit = { object_key: key, version, new_state: { sum: [...Buffer.from(String(sum))] } };
  const json = { "content-type": "application/json" };
  const request = { method: "POST", path, headers: json, body: JSON.stringify(edit) };
  const { status, text, wasAskedAgain } = await client.admin(request);
  // If the answer to the first request was lost, the second finds the version that the first one wrote.
  if (status !== 202 && !(wasAskedAgain && status === 409))
    book.complain(`an edit of ${key} was answered with ${status}: ${text}`);
  const { after } = JSON.parse((await add(5)).text) as { readonly after: number };
  if (after !== sum + 5) book.complain(`${key} was edited to ${sum}, and counted on to ${after}`);
}

const NOTHING: HandlerResult = { invocationId: "", recorded: [] };
