/** Sends requests to HTTP APIs of an emulated AWS, signed if the API requires IAM (Signature Version 4). */
import { createHash, createHmac } from "node:crypto";
import { Agent, request } from "node:http";
import { SignatureV4 } from "@smithy/signature-v4";

const agent = new Agent({ keepAlive: true, maxSockets: 64 });
const SERVICE = "execute-api";
const REGION = "us-east-1";

/** @param url the API's URL from CloudFormation @returns the host and port of the same API at the emulator */
export function localApi(url, endpoint) {
  const [id] = new URL(url).host.split(".");
  const { hostname, port } = new URL(endpoint);
  return { host: `${id}.execute-api.${hostname}:${port}`, port: Number(port) };
}

/** @returns the path-style address of that API, because few clients can resolve names below `localhost` */
export function localAddress(url, endpoint) {
  const [id] = new URL(url).host.split(".");
  return `${endpoint}/_aws/execute-api/${id}`;
}

/**
 * @param api the result of `localApi`
 * @param credentials `{ accessKeyId, secretAccessKey }`; without them the request is unsigned
 * @returns status, headers, and the body as text
 */
export async function send(api, { method = "GET", path = "/", headers = {}, body = "", credentials, signal }) {
  const plain = { ...headers, host: api.host };
  const all = credentials === undefined ? plain : await signed({ method, path, headers: plain, body }, credentials);
  return new Promise((resolve, reject) => {
    const options = { host: "127.0.0.1", port: api.port, method, path, headers: all, agent, signal };
    const outgoing = request(options, (incoming) => {
      const pieces = [];
      incoming.on("data", (piece) => pieces.push(piece));
      incoming.once("error", reject);
      incoming.once("end", () => {
        const text = Buffer.concat(pieces).toString("utf8");
        resolve({ status: incoming.statusCode, headers: incoming.headers, text });
      });
    });
    outgoing.once("error", reject);
    outgoing.end(body);
  });
}

/** SHA-256 with the interface that the signer expects. */
function Sha256(secret) {
  return secret === undefined ? createHash("sha256") : createHmac("sha256", secret);
}

async function signed({ method, path, headers, body }, credentials) {
  const [pathname, search] = path.split("?");
  const query = {};
  for (const [name, value] of new URLSearchParams(search)) (query[name] ??= []).push(value);
  const signer = new SignatureV4({ credentials, region: REGION, service: SERVICE, sha256: Sha256 });
  const unsigned = { method, protocol: "http:", hostname: headers.host, path: pathname, query, headers, body };
  return (await signer.sign(unsigned)).headers;
}
