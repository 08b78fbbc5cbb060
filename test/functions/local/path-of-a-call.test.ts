/**
 * The path of a plain call, as the stacks of a running process show it: the files that wait for the call while its request is read,
 * sent and answered, and its journal is stored. docs/design.md lists these files.
 */
import { readFileSync } from "node:fs";
import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import { expect, onTestFinished, test, vi } from "vitest";
import { EmbeddedTable } from "../../../shared/adapters/embedded/embedded-table.ts";
import { CarriedExchange } from "../../../shared/adapters/https/exchange/carried-exchange.ts";
import { pathOfACall } from "../../docs/path-of-a-call.ts";
import { openStage } from "../../errors/stage.ts";
import { startTraced } from "./traced-services.ts";

const FRAMES_MAX = 300;
const FILE_OF_FRAME = /\/((?:shared|functions)\/[\w./-]+\.ts)/;

/** A stack of a call begins at the listener, or at the connection to the deployment. All others are of background work. */
const FIRST = /^(?:functions\/local\/http-listener|shared\/adapters\/https\/http2\/)/;

/** The files on the present stack, the asynchronous callers included, the outermost first; none for background work. */
function filesOnStack(): string[] {
  const lines = new Error().stack!.split("\n").filter((line) => !line.includes("/test/"));
  const files = lines.flatMap((line) => FILE_OF_FRAME.exec(line)?.[1] ?? []).toReversed();
  return FIRST.test(files[0] ?? "") ? files : [];
}

/** A plain call on a machine under load takes longer than an acceptance waits, and is then written in two parts. */
const TRIES = 50;

test("docs/design.md lists the files through which a plain call passes, in their order", async () => {
  const deployment = await startTraced();
  const stage = await openStage();
  await stage.register(deployment.uri);
  const ask = async (): Promise<string> => {
    const headers = { "content-type": "application/json" };
    const answer = await fetch(`${stage.local.ingressUrl}Inner/greet`, { method: "POST", headers, body: '"you"' });
    return await answer.text();
  };
  // The first call opens connections, reads routes, and shows that the handler awaits nothing.
  await ask();
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = FRAMES_MAX;
  onTestFinished(() => void (Error.stackTraceLimit = stackTraceLimit));
  let seen = new Set<string>();
  let isOneWrite = false;
  /** Adds the files on the stack at each call of the method, and the file of the method itself if it is of the product. */
  const watch = (prototype: object, method: string, own?: string): void => {
    const methods = prototype as Record<string, (...args: unknown[]) => unknown>;
    const real = methods[method]!;
    const spy = vi.spyOn(methods, method).mockImplementation(function (this: unknown, ...args) {
      const files = filesOnStack();
      for (const file of files) seen.add(file);
      if (own !== undefined && files.length > 0) seen.add(own);
      isOneWrite ||= method === "transact" && files.length > 0;
      return real.apply(this, args);
    });
    onTestFinished(() => spy.mockRestore());
  };
  watch(IncomingMessage.prototype, "on");
  watch(Socket.prototype, "write");
  for (const method of ["head", "accept", "deliver"])
    watch(CarriedExchange.prototype, method, "shared/adapters/https/exchange/carried-exchange.ts");
  watch(EmbeddedTable.prototype, "transact", "shared/adapters/embedded/embedded-table.ts");
  watch(ServerResponse.prototype, "end");
  for (let tries = 0; !isOneWrite && tries < TRIES; tries++) {
    seen = new Set();
    expect(await ask()).toBe('"hello you"');
  }
  expect([...seen]).toEqual(pathOfACall(readFileSync("docs/design.md", "utf8")));
});
