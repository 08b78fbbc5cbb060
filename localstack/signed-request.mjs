/** Sends requests to the HTTP APIs of an emulated AWS, with a signature (Signature Version 4) or without. */
import { randomUUID } from "node:crypto";
import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import { Agent } from "node:http";
import { join } from "node:path";
import { build } from "esbuild";

/**
 * @typedef {{ readonly host: string; readonly port: number }} LocalApi
 * @typedef {{ readonly accessKeyId: string; readonly secretAccessKey: string }} Credentials
 * @typedef {object} ApiRequest
 * @property {string} [method]
 * @property {string} [path]
 * @property {Readonly<Record<string, string>>} [headers]
 * @property {string} [body]
 * @property {Credentials} [credentials] without them the request is unsigned
 * @property {AbortSignal} [signal] aborts the request: the promise rejects
 * @typedef {object} ApiResponse
 * @property {number} status
 * @property {import("node:http").IncomingHttpHeaders} headers
 * @property {string} text the body
 */

const agent = new Agent({ keepAlive: true, maxSockets: 64 });
const CACHE = join(import.meta.dirname, "../.cache/localstack");
const REGION = "us-east-1";
/** @type {Promise<typeof import("../functions/signing/signed-client.ts")> | undefined} */
let built;

/**
 * @param {string} url the API's URL from CloudFormation
 * @param {string} endpoint of the emulator
 * @returns {LocalApi} the host and port of the same API at the emulator
 */
export function localApi(url, endpoint) {
  const [id] = new URL(url).host.split(".");
  const { hostname, port } = new URL(endpoint);
  return { host: `${id}.execute-api.${hostname}:${port}`, port: Number(port) };
}

/**
 * @param {string} url the API's URL from CloudFormation
 * @param {string} endpoint of the emulator
 * @returns {string} the API's address in path style at the emulator, because few clients resolve names below `localhost`
 */
export function localAddress(url, endpoint) {
  const [id] = new URL(url).host.split(".");
  return `${endpoint}/_aws/execute-api/${id}`;
}

/**
 * @param {LocalApi} api
 * @param {ApiRequest} request
 * @returns {Promise<ApiResponse>}
 */
export async function send(api, request) {
  const { method = "GET", path = "/", headers = {}, body = "", credentials, signal } = request;
  built ??= builtClient();
  const { signedClient } = await built;
  const address = { origin: `http://${api.host}`, at: { hostname: "127.0.0.1", port: api.port }, agent };
  const ask = signedClient(address, credentials && { credentials, region: REGION });
  return await ask({ method, path, headers, body, signal });
}

/** Builds the product's client, because Node 20 runs no TypeScript. Several processes may do this at a time. */
async function builtClient() {
  const { outputFiles } = await build({
    entryPoints: [join(import.meta.dirname, "../functions/signing/signed-client.ts")],
    bundle: true,
    platform: "node",
    target: "node20.19",
    format: "esm",
    packages: "external",
    write: false,
    logLevel: "warning",
  });
  mkdirSync(CACHE, { recursive: true });
  const begun = join(CACHE, `${randomUUID()}.tmp`);
  writeFileSync(begun, outputFiles[0].contents);
  renameSync(begun, join(CACHE, "signed-client.js"));
  return await import("../.cache/localstack/signed-client.js");
}
