/** The local process: it starts, answers on both ports, refuses with codes, stops, and starts again on the same data. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { request as httpRequest, type IncomingMessage } from "node:http";
import { connect as connectHttp2 } from "node:http2";
import { connect as connectSocket, createServer, type AddressInfo } from "node:net";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { startLocalProcess, type LocalProcess } from "../../../functions/local/local-process.ts";
import { readSettings } from "../../../shared/config/settings.ts";
import { registerWhenUp } from "../../../shared/engine/register/register-when-up.ts";
import { manifestOf, startEndpoint } from "../../api/admin/sample-endpoint.ts";
import { silentLog } from "../../recording-log.ts";
import { accessOf, fetch, knowAdmin } from "../../harness/local/admin-access.ts";

/** The type of a SETTINGS frame. The fourth byte of each HTTP/2 frame is its type. */
const SETTINGS_FRAME = 4;
const EMPTY_SETTINGS = Buffer.from([0, 0, 0, SETTINGS_FRAME, 0, 0, 0, 0, 0]);
const GREETER = { name: "Greeter", ty: "SERVICE", handlers: [{ name: "greet" }] };

let dir: string;
let running: LocalProcess[];

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "stepwell-local-"));
  running = [];
});
afterEach(async () => {
  for (const local of running) await local.stop();
  rmSync(dir, { recursive: true, force: true });
});

async function start(flags: Record<string, string> = {}): Promise<LocalProcess> {
  const free = { "ingress.port": "0", "admin.port": "0", "data-dir": dir, "shutdown-timeout": "1s" };
  const { settings } = readSettings({ environment: {}, flags: { ...free, ...flags } });
  const local = await startLocalProcess(settings, "1.2.3", silentLog);
  knowAdmin(local.adminUrl, local.adminToken);
  running.push(local);
  return local;
}

describe("the local process", () => {
  it("is healthy on both ports, and closes them at its stop", async () => {
    const local = await start();
    expect((await fetch(`${local.ingressUrl}restate/health`)).status).toBe(200);
    expect((await fetch(`${local.adminUrl}health`)).status).toBe(200);
    expect(await (await fetch(`${local.adminUrl}version`)).json()).toMatchObject({
      product_version: "1.2.3",
      ingress_endpoint: local.ingressUrl,
    });
    await local.stop();
    await expect(fetch(`${local.adminUrl}health`)).rejects.toThrow();
  });

  // Linux answers at every address of 127.0.0.0/8, so 127.0.0.2 represents an outside address here.
  it.skipIf(process.platform !== "linux")("answers at a loopback address alone by default", async () => {
    const opensTo = async (url: string): Promise<boolean> => {
      const socket = connectSocket(Number(new URL(url).port), "127.0.0.2");
      try {
        await once(socket, "connect");
        return true;
      } catch {
        return false;
      } finally {
        socket.destroy();
      }
    };
    const local = await start();
    expect([await opensTo(local.ingressUrl), await opensTo(local.adminUrl)]).toEqual([false, false]);
    await local.stop();
    const open = await start({ "ingress.bind": "0.0.0.0" });
    expect([await opensTo(open.ingressUrl), await opensTo(open.adminUrl)]).toEqual([true, false]);
  });

  it("finds its deployments and derives the same ids after a restart", async () => {
    const endpoint = await startEndpoint(manifestOf([GREETER]));
    const first = await start();
    const signal = new AbortController().signal;
    const registered = await registerWhenUp(first.engine, { uri: endpoint.uri, useHttp11: false }, () => {}, signal);
    const derived = first.engine.ids.derive(["x"], 16);
    await first.stop();
    await endpoint.close();

    const second = await start();
    const { deployments } = (await (await fetch(`${second.adminUrl}deployments`)).json()) as {
      deployments: { id: string }[];
    };
    expect(deployments.map(({ id }) => id)).toEqual([registered!.deployment.id]);
    expect(second.engine.ids.derive(["x"], 16)).toEqual(derived);
  });

  it("refuses a port that is taken, and releases its stores", async () => {
    const blocker = createServer().listen(0, "127.0.0.1");
    await once(blocker, "listening");
    const taken = String((blocker.address() as AddressInfo).port);
    await expect(start({ "admin.port": taken })).rejects.toMatchObject({
      code: "RT0004",
      message: expect.stringContaining(taken),
    });
    blocker.close();
    expect((await fetch(`${(await start()).adminUrl}health`)).status).toBe(200);
  });

  it("refuses a data directory that another process holds", async () => {
    await start();
    await expect(start()).rejects.toMatchObject({ code: "RT0005" });
  });

  it.each([
    ["meta", '{"format":999,"kind":"meta"}', "META0010"],
    ["meta", '{"format":0,"kind":"meta"}', "META0010"],
    ["meta", undefined, "META0011"],
    ["journal", '{"format":999,"kind":"journal"}', "RT0009"],
    ["journal", undefined, "RT0009"],
  ])("refuses a %s store with the version %s", async (kind, version, code) => {
    mkdirSync(join(dir, kind), { recursive: true });
    writeFileSync(join(dir, kind, version === undefined ? "something" : "VERSION"), version ?? "");
    await expect(start()).rejects.toMatchObject({ code });
  });
});

describe("a deployment that is to be registered", () => {
  it("is waited for, is reported as unchanged if it is the same, and is replaced if it has changed", async () => {
    const { engine } = await start();
    const { signal } = new AbortController();
    const endpoint = await startEndpoint(manifestOf([GREETER]));
    const ready = endpoint.answer as object;
    endpoint.answer = (asked) => (asked <= 5 ? { status: 503 } : ready);
    const told: string[] = [];
    const target = { uri: endpoint.uri, useHttp11: false };
    const first = await registerWhenUp(engine, target, (reason) => told.push(reason), signal);
    expect([first!.kind, told.length]).toEqual(["created", 1]);
    endpoint.answer = ready;
    expect((await registerWhenUp(engine, target, () => {}, signal))!.kind).toBe("unchanged");
    endpoint.answer = { body: JSON.stringify(manifestOf([{ ...GREETER, handlers: [{ name: "wave" }] }])) };
    const changed = await registerWhenUp(engine, target, () => {}, signal);
    expect(changed).toMatchObject({
      kind: "replaced",
      deployment: { id: first!.deployment.id, services: [{ revision: 2 }] },
    });
    await endpoint.close();
  });

  it("is no longer waited for when the process stops", async () => {
    const { engine } = await start();
    const stopping = new AbortController();
    const gone = registerWhenUp(
      engine,
      { uri: "http://127.0.0.1:1", useHttp11: false },
      () => stopping.abort(),
      stopping.signal,
    );
    expect(await gone).toBeUndefined();
  });
});

describe("a listener", () => {
  it("answers HTTP/2 with prior knowledge", async () => {
    const { adminUrl } = await start();
    const session = connectHttp2(adminUrl);
    const stream = session.request({ ":path": "/version", ...accessOf(adminUrl) });
    const [headers] = (await once(stream, "response")) as [Record<string, unknown>];
    expect(headers[":status"]).toBe(200);
    let text = "";
    for await (const piece of stream) text += String(piece);
    expect(JSON.parse(text)).toMatchObject({ product_version: "1.2.3" });
    session.destroy();
  });

  it("recognizes HTTP/2 by its preface, also where that comes in pieces", async () => {
    const { adminUrl } = await start();
    const socket = connectSocket(Number(new URL(adminUrl).port), "127.0.0.1").setNoDelay(true);
    for (const piece of ["P", "RI * HT", "TP/2.0\r\n\r\nSM\r\n\r\n"]) {
      socket.write(piece);
      await sleep(10);
    }
    socket.write(EMPTY_SETTINGS);
    const [answer] = (await once(socket, "data")) as [Buffer];
    expect(answer[3]).toBe(SETTINGS_FRAME);
    socket.destroy();
  });

  it("keeps a connection open over several requests", async () => {
    const { adminUrl } = await start();
    const socket = connectSocket(Number(new URL(adminUrl).port), "127.0.0.1");
    let text = "";
    socket.on("data", (piece) => (text += String(piece)));
    socket.write("GET /health HTTP/1.1\r\nhost: localhost\r\n\r\n");
    await once(socket, "data");
    const access = `authorization: ${accessOf(adminUrl)["authorization"]}\r\n`;
    socket.write(`GET /nowhere HTTP/1.1\r\nhost: localhost\r\n${access}connection: close\r\n\r\n`);
    await once(socket, "close");
    expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual(["HTTP/1.1 200", "HTTP/1.1 404"]);
  });

  it.each([
    ["declared", { "content-length": "2000" }],
    ["sent in chunks", {}],
  ])("refuses a body that is too large, and closes the connection (%s)", async (_name, headers) => {
    const { ingressUrl } = await start({ "ingress.request-size-limit": "1kb" });
    const asked = httpRequest(`${ingressUrl}Greeter/greet`, { method: "POST", headers });
    asked.on("error", () => undefined);
    asked.write("x".repeat(2000));
    const [response] = (await once(asked, "response")) as [IncomingMessage];
    expect([response.statusCode, response.headers.connection]).toEqual([413, "close"]);
    response.resume();
    await once(response, "close");
  });
});
