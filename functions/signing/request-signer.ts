/** Signs requests to an API behind IAM: Signature Version 4, for whoever asks an API Gateway with credentials of AWS. */
import { SignatureV4 } from "@smithy/signature-v4";
import { Sha256 } from "./sha256.ts";

/** As the AWS SDK takes them: a pair of keys, or what finds one and renews it. */
export type Credentials = ConstructorParameters<typeof SignatureV4>[0]["credentials"];

export interface Signing {
  readonly credentials: Credentials;
  readonly region: string;
  /** As IAM knows it: `execute-api`, an API Gateway, unless told. */
  readonly service?: string;
}

export interface UnsignedRequest {
  readonly method: string;
  /** As it will be sent. */
  readonly url: URL;
  /** All are signed, and `host` of the URL beside them. */
  readonly headers: Readonly<Record<string, string>>;
  /** Empty where there is none. */
  readonly body: string | Uint8Array;
}

/** @returns the headers that were given, and those of the signature; `host` is left to whoever sends them */
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

/** A name may come several times, and each counts. */
function queryOf(parameters: URLSearchParams): Record<string, string[]> {
  const query: Record<string, string[]> = Object.create(null) as Record<string, string[]>;
  for (const [name, value] of parameters) (query[name] ??= []).push(value);
  return query;
}
