/**
 * Attacks on the listeners: endless bodies, readers that do not read, countless keys, foreign hosts and unknown
 * codings.
 */
import { readFileSync, statSync } from "node:fs";
import { connect as connectHttp2 } from "node:http2";
import { connect, type Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { ask as askRaw, head } from "../harness/local/raw-http.ts";
import { post } from "./asking.ts";
import type { Attack } from "./attack.ts";
import { always, LARGEST_BYTES, output } from "./messages.ts";
import { fetch } from "../harness/local/admin-access.ts";

const STREAMS = 200;
const BODY_BYTES = 15 * 1024 * 1024;
const READERS = 100;
const ADMIN_KEYS = 280_000;
const STRIKE_MS = 5_000;
const DESCRIPTIONS = 6;

const quick = always(() => output("done"));

export const HTTP_ATTACKS: readonly Attack[] = [
  {
    name: "B4",
    title: "two hundred endless bodies do not fill the memory together",
    answers: { quick },
    async strike(scene) {
      const session = connectHttp2(scene.ingressUri);
      session.on("error", () => undefined);
      const body = Buffer.alloc(BODY_BYTES, 0x31);
      for (let at = 0; at < STREAMS; at++) {
        const stream = session.request({ ":method": "POST", ":path": "/Attacker/quick/send" });
        stream.on("error", () => undefined);
        stream.write(body);
      }
      await pause(STRIKE_MS);
      session.destroy();
      return { accepted: [] };
    },
  },
  {
    name: "B5",
    title: "a hundred readers that do not read do not fill the memory with copies of one result",
    answers: { large: always(() => output(Buffer.alloc(LARGEST_BYTES - 64, 0x31))) },
    async strike(scene) {
      const uri = `${scene.ingressUri}/Attacker/large`;
      const first = await fetch(uri, { method: "POST", headers: { "idempotency-key": "one" } });
      const id = first.headers.get("x-restate-id")!;
      const sizeBytes = (await first.arrayBuffer()).byteLength;
      const sockets: Socket[] = [];
      for (let at = 0; at < READERS; at++) {
        const socket = connect(Number(new URL(uri).port), "127.0.0.1");
        socket.on("error", () => undefined).pause();
        socket.write(head(`GET /restate/invocation/${id}/output`));
        sockets.push(socket);
      }
      await pause(STRIKE_MS);
      for (const socket of sockets) socket.destroy();
      return { accepted: [id], notes: { sizeBytes } };
    },
  },
  {
    name: "B6",
    title: "admin bodies with 280,000 keys are refused before their keys are checked one by one",
    answers: { quick },
    async strike(scene) {
      const keys = Object.fromEntries(Array.from({ length: ADMIN_KEYS }, (_, at) => [`k${at}`, "1"]));
      const registered = await post(`${scene.adminUri}/deployments`, {
        uri: scene.deploymentUri,
        metadata: keys,
        dry_run: true,
      });
      const headers = await post(`${scene.adminUri}/deployments`, {
        uri: scene.deploymentUri,
        additional_headers: keys,
      });
      const notes = { metadata: registered.status, headers: headers.status };
      const complaints = Object.entries(notes).flatMap(([field, status]) =>
        status < 400 ? [`${field}: ${status}`] : [],
      );
      return { accepted: [], notes, complaints };
    },
  },
  {
    name: "B7",
    title:
      "foreign hosts and unknown codings are refused, answers forbid sniffing, and the log warns of a readable data directory",
    answers: { quick },
    async strike(scene) {
      const complaints: string[] = [];
      const adminPort = Number(new URL(scene.adminUri).port);
      for (const host of ["evil.local", "evil"]) {
        const { status } = await askRaw(adminPort, "GET /services", { host });
        if (status < 400) complaints.push(`the admin API answers ${host} with ${status}`);
      }
      const packed = { "transfer-encoding": "gzip, chunked" };
      const { status } = await askRaw(
        Number(new URL(scene.ingressUri).port),
        "POST /Good/plain",
        packed,
        "1\r\n1\r\n0\r\n\r\n",
      );
      if (status !== 501) complaints.push(`a body in gzip was answered with ${status}`);
      const answer = await fetch(`${scene.ingressUri}/Good/plain`, { method: "POST", body: '"x"' });
      if (answer.headers.get("x-content-type-options") !== "nosniff") complaints.push("an answer may be sniffed");
      const isOpen = (statSync(`${scene.dataDir}/journal`).mode & 0o077) !== 0;
      const isTold = readFileSync(scene.logPath, "utf8").includes("data-directory.exposed");
      if (isOpen && !isTold) complaints.push("other users may read the data directory, and no warning says so");
      return { accepted: [], complaints };
    },
  },
  {
    name: "B8",
    title: "descriptions of invocations with ten million elements are refused before they are parsed",
    answers: { quick },
    async strike(scene) {
      const body = `{"target":"invocation","more":[${"[],".repeat(Math.floor(LARGEST_BYTES / 3))}[]]}`;
      const answers = [];
      for (let at = 0; at < DESCRIPTIONS; at++) {
        const word = ["lookup", "attach", "output"][at % 3]!;
        answers.push(await (await fetch(`${scene.ingressUri}/restate/${word}`, { method: "POST", body })).text());
      }
      const complaints = answers.filter((text) => !text.includes("elements"));
      return { accepted: [], complaints };
    },
  },
];
