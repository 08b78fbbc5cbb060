/**
 * Computes Signature Version 4 as its documentation describes it, from hash functions only. The tests compare our signers
 * with this reference.
 */
import { createHash, createHmac } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";

/** A request to an `execute-api` as it came over the wire. */
export interface SignedArrival {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");
const hmac = (key: string | Buffer, text: string): Buffer => createHmac("sha256", key).update(text).digest();

/** @returns the fields of the request's signature. @throws Error if the request has no signature */
export function signatureOf({ headers }: SignedArrival) {
  const form = /^AWS4-HMAC-SHA256 Credential=([^/]+)\/\S+ SignedHeaders=(\S+), Signature=(\w+)$/;
  const [, keyId, names, signature] = form.exec(headers.authorization ?? "") ?? [];
  if (keyId === undefined || names === undefined) throw new Error(`not signed: ${headers.authorization}`);
  return { keyId, names: names.split(";"), signature };
}

export function expectedSignature(
  arrival: SignedArrival,
  { region, secret }: { readonly region: string; readonly secret: string },
): string {
  const { method, url, headers, body } = arrival;
  const { names } = signatureOf(arrival);
  const { pathname, searchParams } = new URL(url, "http://api");
  const query = [...searchParams].map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`);
  const canonical = [
    method,
    pathname.split("/").map(encodeURIComponent).join("/"),
    query.toSorted().join("&"),
    ...names.map((name) => `${name}:${String(headers[name]).trim()}`),
    "",
    names.join(";"),
    sha256(body),
  ].join("\n");
  const moment = String(headers["x-amz-date"]);
  const scope = `${moment.slice(0, 8)}/${region}/execute-api/aws4_request`;
  const key = scope.split("/").reduce<string | Buffer>((made, part) => hmac(made, part), `AWS4${secret}`);
  return hmac(key, ["AWS4-HMAC-SHA256", moment, scope, sha256(canonical)].join("\n")).toString("hex");
}
