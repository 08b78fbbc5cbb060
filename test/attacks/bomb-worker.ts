/** A process that reads answers of functions as a worker on AWS does: ten at a time, each only as far as its reader has room. */
import { LambdaEndpoints } from "../../shared/adapters/lambda/lambda-endpoints.ts";
import { rssPeakMb } from "./peak-memory.ts";
import type { Exchange } from "../../shared/engine/ports/endpoints.ts";

/** The most messages of a batch of the queue. */
const AT_ONCE = 10;
/** What one reader takes before it has to wait for room. */
const ROOM_BYTES = 4 * 1024 * 1024;
const NEIGHBOUR_CALLS = 20;

export interface BombReport {
  readonly rssPeakMb: number;
  readonly bombBytes: number;
  readonly neighbours: readonly string[];
}

const [endpoint, bomb] = process.argv.slice(2) as [string, string];
const credentials = { accessKeyId: "none", secretAccessKey: "none" };
const endpoints = new LambdaEndpoints({ endpoint, credentials });

function call(name: string): Exchange {
  const arn = `arn:aws:lambda:eu-west-1:123456789012:function:${name}:1`;
  return endpoints.open({
    destination: { arn, compression: "zstd" },
    method: "POST",
    path: `/invoke/${name}/run`,
    headers: {},
    body: [new Uint8Array(10)],
    halfClose: true,
  });
}

async function readWithinRoom(exchange: Exchange): Promise<number> {
  let bytes = 0;
  while (bytes < ROOM_BYTES) {
    const piece = await exchange.next();
    if (piece === undefined) break;
    bytes += piece.length;
  }
  return bytes;
}

const bombs = Array.from({ length: AT_ONCE }, () => call(bomb));
const read = Promise.all(bombs.map(readWithinRoom));
const neighbours: string[] = [];
for (let at = 0; at < NEIGHBOUR_CALLS; at++) neighbours.push(Buffer.from((await call("good").next()) ?? []).toString());
const bombBytes = (await read).reduce((sum, bytes) => sum + bytes, 0);
const report: BombReport = { rssPeakMb: rssPeakMb(), bombBytes, neighbours };
for (const exchange of bombs) exchange.abort();
endpoints.close();
process.send!(report, () => process.exit());
