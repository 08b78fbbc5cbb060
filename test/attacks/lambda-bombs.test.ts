/** Ten answers of functions that unpack to far more than they weigh fit the memory of one worker, and a neighbour is answered. */
import { fork } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, inject, test } from "vitest";
import { zstd } from "../../shared/adapters/lambda/zstd.ts";
import type { BombReport } from "./bomb-worker.ts";

const BOMB_BYTES = 62 * 1024 * 1024;
/** Ten bombs in memory would take 620 MB more than the control. */
const BESIDE_CONTROL_MAX_MB = 250;

const answerOf = (body: Uint8Array, headers: object): string =>
  JSON.stringify({ statusCode: 200, headers, body: Buffer.from(body).toString("base64"), isBase64Encoded: true });

// Node before 22.15 has no zstd; the gate runs this suite on Node 24.
test.skipIf(zstd === undefined)(
  "C9: ten answers of 2 kB that unpack to 62 MiB each do not fill the memory of a worker",
  async () => {
    const good = answerOf(Buffer.from("good"), {});
    const bomb = answerOf(zstd!.compress(Buffer.alloc(BOMB_BYTES)), { "content-encoding": "zstd" });
    const api = createServer((request, response) => {
      request.resume().once("end", () => response.end(request.url!.includes("bomb") ? bomb : good));
    }).listen(0, "127.0.0.1");
    await once(api, "listening");
    const endpoint = `http://127.0.0.1:${(api.address() as AddressInfo).port}`;
    const reportOf = async (name: string): Promise<BombReport> => {
      const worker = fork(join(inject("workshop").dir, "bomb-worker.js"), [endpoint, name]);
      const [report] = (await once(worker, "message")) as [BombReport];
      return report;
    };
    try {
      const control = await reportOf("good");
      const attacked = await reportOf("bomb");
      expect(attacked.bombBytes).toBeGreaterThan(control.bombBytes);
      expect(new Set([...control.neighbours, ...attacked.neighbours])).toEqual(new Set(["good"]));
      expect(attacked.rssPeakMb - control.rssPeakMb).toBeLessThan(BESIDE_CONTROL_MAX_MB);
    } finally {
      api.close();
    }
  },
);
