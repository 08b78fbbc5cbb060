/** Tests the search for the process that listens on a port: in a table of Linux, and with a server of this process. */
import { createServer } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { listeningInodes, portHolder } from "../../../shared/adapters/system/port-holder.ts";
import { startServer } from "../../harness/https/peer.ts";

const TABLE = `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 4711 1 0 100 0 0 10 0
   1: 0100007F:1F90 0100007F:C350 01 00000000:00000000 00:00000000 00000000     0        0 4712 1 0 20 4 30 10 -1
   2: 00000000:0050 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 4713 1 0 100 0 0 10 0
   3: 00000000000000000000000000000000:1F90 00000000000000000000000000000000:0000 0A 0:0 00:0 0 0 0 4714 1
`;

test.each([
  [8080, ["4711", "4714"]],
  [80, ["4713"]],
  [50_000, []],
  [0x90, []],
])("the sockets that listen on %i are %j", (port, inodes) => expect(listeningInodes(TABLE, port)).toEqual(inodes));

test.each(["", "\n\n", "no table", "0: :1F90"])("a table %j has no socket", (table) =>
  expect(listeningInodes(table, 8080)).toEqual([]),
);

// Other systems show the process of a port only through a separate program.
test.skipIf(process.platform !== "linux")(
  "the search finds this process for a port of this process, and no process for a free port",
  async () => {
    const { port, stop } = await startServer(createServer());
    onTestFinished(stop);
    // The search gives up after half a second, which a busy machine may need.
    await expect.poll(() => portHolder(port)).toBe("this process");
    await stop();
    expect(await portHolder(port)).toBeUndefined();
  },
);
