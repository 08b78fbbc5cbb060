/** Requests to HTTP APIs of an emulated AWS, signed where the API asks for IAM (Signature Version 4). */
import { createHash, createHmac } from "node:crypto";
import { Agent, request } from "node:http";

const agent = new Agent({ keepAlive: true, maxSockets: 64 });
const SERVICE = "execute-api";
const REGION = "us-east-1";

/** @param url as CloudFormation gives it out @returns the same API as the emulator serves it */
export function localApi(url, endpoint) {
  const [id] = new URL(url).host.split(".");
  const { hostname, port } = new URL(endpoint);
  return { host: `${id}.execute-api.${hostname}:${port}`, port: Number(port) };
}

/**
 * @param api of `localApi`
 * @param credentials `{ accessKeyId, secretAccessKey }`; an unsigned request without
 * @returns status, headers, and the body as text
 */
export function send(api, { method = "GET", path = "/", headers = {}, body = "", credentials }) {
  const plain = { ...headers, host: api.host };
  const all = credentials === undefined ? plain : signed({ method, path, headers: plain, body }, credentials);
  return new Promise((resolve, reject) => {
    const outgoing = request({ host: "127.0.0.1", port: api.port, method, path, headers: all, agent }, (incoming) => {
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

const sha256 = (text) => createHash("sha256").update(text).digest("hex");
const hmac = (key, text) => createHmac("sha256", key).update(text).digest();

function signed({ method, path, headers, body }, { accessKeyId, secretAccessKey }) {
  const moment = new Date().toISOString().replaceAll(/[-:]|\.\d{3}/g, "");
  const scope = `${moment.slice(0, 8)}/${REGION}/${SERVICE}/aws4_request`;
  const all = { ...headers, "x-amz-date": moment, "x-amz-content-sha256": sha256(body) };
  const names = Object.keys(all).sort();
  const [pathname, query = ""] = path.split("?");
  const canonical = [
    method,
    pathname.split("/").map(encodeURIComponent).join("/"),
    query.split("&").sort().join("&"),
    ...names.map((name) => `${name}:${String(all[name]).trim()}`),
    "",
    names.join(";"),
    sha256(body),
  ].join("\n");
  const toSign = ["AWS4-HMAC-SHA256", moment, scope, sha256(canonical)].join("\n");
  const key = scope.split("/").reduce((made, part) => hmac(made, part), `AWS4${secretAccessKey}`);
  const signature = createHmac("sha256", key).update(toSign).digest("hex");
  const credential = `Credential=${accessKeyId}/${scope}, SignedHeaders=${names.join(";")}, Signature=${signature}`;
  return { ...all, authorization: `AWS4-HMAC-SHA256 ${credential}` };
}
