/** What somebody needs who looks for the reason why something has not ended: the whole table, and whatever is under way. */
import { createWriteStream, writeFileSync } from "node:fs";
import { join } from "node:path";
import { finished } from "node:stream/promises";
import { DynamoDBClient, paginateScan } from "@aws-sdk/client-dynamodb";
import { aws } from "../e2e-aws/control-plane.ts";
import { functionNames, processesOf } from "../e2e-aws/function-processes.ts";
import type { Book } from "./book.ts";
import type { LoadClient } from "./client.ts";
import { leftBehind } from "./left-behind.ts";
import { say } from "./quiet.ts";

/** Leaves `open.json` and `table.jsonl` in the folder, and says what stands in the first. @param name tells one moment from another */
export async function keepEvidence(folder: string, name: string, book: Book, client: LoadClient): Promise<void> {
  const processes = functionNames(aws.plain).map((each) => [each, processesOf([each])] as const);
  const open = {
    atMs: Date.now(),
    submissions: book.openSince(Infinity),
    asking: [...client.asking.values()],
    unanswered: client.unanswered,
    processes: Object.fromEntries(processes),
    left: await leftBehind(),
  };
  say(`${name}: ${JSON.stringify(open)}`);
  writeFileSync(join(folder, `open-${name}.json`), JSON.stringify(open, undefined, 2));
  const file = createWriteStream(join(folder, `table-${name}.jsonl`));
  const pages = paginateScan({ client: new DynamoDBClient({}) }, { TableName: aws.plain.outputs["TableName"]! });
  for await (const { Items = [] } of pages) for (const item of Items) file.write(`${JSON.stringify(item, shown)}\n`);
  file.end();
  await finished(file);
}

/** Bytes as text: most are JSON or names. */
function shown(key: string, value: unknown): unknown {
  return key === "B" ? Buffer.from(Object.values(value as Uint8Array)).toString("latin1") : value;
}
