/** Signs requests to an API behind IAM with Signature Version 4. */
import { SignatureV4 } from "@smithy/signature-v4";
import { createHash, createHmac } from "node:crypto";

/** A key pair, or a provider that finds and renews a key pair, in the form of the AWS SDK. */
export type Credentials = ConstructorParameters<typeof SignatureV4>[0]["credentials"];

export interface Signing {
  readonly credentials: Credentials;
  readonly region: string;
  /** The service name in IAM; by default `execute-api`, an API Gateway. */
  readonly service?: string;
}

export interface UnsignedRequest {
  readonly method: string;
  /** The URL exactly as it will be sent. */
  readonly url: URL;
  /** The signature covers all these headers and `host`, which comes from the URL. */
  readonly headers: Readonly<Record<string, string>>;
  /** Empty if the request has no body. */
  readonly body: string | Uint8Array;
}

/** @returns the given headers and those of the signature, without `host`, which the HTTP client adds */
export type SignRequest = (request: UnsignedRequest) => Promise<Readonly<Record<string, string>>>;

export function requestSigner({ credentials, region, service = "execute-api" }: Signing): SignRequest {
  const signer = new SignatureV4({ credentials, region, service, sha256: Sha256 });
  return async ({ method, url, headers, body }) => {
    const signed = await signer.sign({
      method,
      protocol: url.protocol,
      hostname: url.hostname,
      path: url.pathname,
      query: queryOf(url.searchParams),
      headers: { ...headers, host: url.host },
      body,
    });
    const { host: _host, ...sent } = signed.headers;
    return sent;
  };
}

/** A repeated name keeps all its values. */
function queryOf(parameters: URLSearchParams): Record<string, string[]> {
  const query: Record<string, string[]> = Object.create(null) as Record<string, string[]>;
  for (const [name, value] of parameters) (query[name] ??= []).push(value);
  return query;
}

/** SHA-256 with the interface that the Signature Version 4 signer expects. */
export class Sha256 {
  readonly #hash;
  constructor(secret?: string | ArrayBuffer | ArrayBufferView) {
    this.#hash = secret === undefined ? createHash("sha256") : createHmac("sha256", bytesOf(secret));
  }
  update(part: string | ArrayBuffer | ArrayBufferView): void {
    this.#hash.update(bytesOf(part));
  }
  async digest(): Promise<Uint8Array> {
    return this.#hash.digest();
  }
  reset(): void {
    throw new Error("A hash is used once");
  }
}

function bytesOf(part: string | ArrayBuffer | ArrayBufferView): Uint8Array {
  if (typeof part === "string") return Buffer.from(part, "utf8");
  return ArrayBuffer.isView(part)
    ? new Uint8Array(part.buffer, part.byteOffset, part.byteLength)
    : new Uint8Array(part);
}
