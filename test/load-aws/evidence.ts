/** Evidence about invocations that have not ended: the items of the table except pieces, and the open requests. */
import { createWriteStream, writeFileSync } from "node:fs";
import { join } from "node:path";
import { finished } from "node:stream/promises";
import { DynamoDBClient, paginateScan } from "@aws-sdk/client-dynamodb";
import { PIECES } from "../../shared/engine/store/item-keys.ts";
import { aws } from "../e2e-aws/control-plane.ts";
import { functionNames, processesOf } from "../e2e-aws/function-processes.ts";
import type { Book, Submission } from "./book.ts";
import type { LoadClient } from "./client.ts";
import { leftBehind, type LeftBehind } from "./left-behind.ts";
import { say } from "./quiet.ts";

const SHOWN_BYTES = 4_096;

interface Evidence {
  readonly atMs: number;
  readonly submissions: readonly Submission[];
  readonly asking: readonly unknown[];
  readonly unanswered: readonly unknown[];
  readonly processes: Readonly<Record<string, readonly number[]>>;
  readonly left: LeftBehind;
}

/**
 * Writes the table and the open work to two files of the folder, and prints the open work.
 * @param name a name that distinguishes this moment from other moments of the run
 */
export async function keepEvidence(folder: string, name: string, book: Book, client: LoadClient): Promise<void> {
  const processes = functionNames(aws.plain).map((each) => [each, processesOf([each])] as const);
  const open: Evidence = {
    atMs: Date.now(),
    submissions: book.openSince(Infinity),
    asking: [...client.asking.values()],
    unanswered: client.unanswered,
    processes: Object.fromEntries(processes),
    left: await leftBehind(),
  };
  say(`${name}: ${JSON.stringify(briefly(open))}`);
  writeFileSync(join(folder, `open-${name}.json`), JSON.stringify(open, undefined, 2));
  const file = createWriteStream(join(folder, `table-${name}.jsonl`));
  const pages = paginateScan(
    { client: new DynamoDBClient({}) },
    {
      TableName: aws.plain.outputs["TableName"]!,
      // Pieces of large records are no evidence, and reading them would slow this process, which serves the handlers too.
      FilterExpression: "NOT begins_with(sk, :pieces)",
      ExpressionAttributeValues: { ":pieces": { S: PIECES.from } },
    },
  );
  for await (const { Items = [] } of pages) for (const item of Items) file.write(`${JSON.stringify(item, shown)}\n`);
  file.end();
  await finished(file);
}

/** For the printed log: counts in place of long lists. */
function briefly({ submissions, asking, unanswered, processes, left }: Evidence) {
  const many = Object.entries({ ...processes, waiting: left.waiting, hidden: left.hidden, schedules: left.schedules });
  const counts = Object.fromEntries(many.map(([name, { length }]) => [name, length]));
  return { submissions, asking, unanswered, open: left.open, dead: left.dead, ...counts };
}

/** Bytes as text, because most are JSON or names; large values are cut. */
function shown(key: string, value: unknown): unknown {
  if (key !== "B") return value;
  return Buffer.from((value as Uint8Array).subarray(0, SHOWN_BYTES)).toString("latin1");
}
