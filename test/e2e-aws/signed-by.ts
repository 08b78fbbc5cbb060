/**
 * Signs requests as a client of AWS does, with the credentials of any identity. A test can also ask for a wrong signature:
 * for another Region, service or time.
 */
import { SignatureV4 } from "@smithy/signature-v4";
import { Sha256 } from "../../functions/signing/request-signer.ts";
import type { ApiRequest } from "../../localstack/signed-request.mjs";

export interface Identity {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

export interface Signing {
  readonly region?: string;
  readonly service?: string;
  readonly at?: Date;
}

/**
 * @param host the host of the API, with its port
 * @returns the request with the headers of its signature
 */
export async function signedBy(
  identity: Identity,
  { host }: { readonly host: string },
  { method = "GET", path = "/", headers = {}, body = "" }: ApiRequest,
  { region = "us-east-1", service = "execute-api", at = new Date() }: Signing = {},
): Promise<ApiRequest> {
  const { pathname, searchParams } = new URL(path, `http://${host}`);
  // Without the header with the body's hash, a verifier has to hash the body itself.
  const signer = new SignatureV4({ credentials: identity, region, service, sha256: Sha256, applyChecksum: false });
  const query = Object.fromEntries(searchParams);
  const unsigned = { method, protocol: "http:", hostname: host, path: pathname, query, body };
  const signed = await signer.sign({ ...unsigned, headers: { ...headers, host } }, { signingDate: at });
  return { method, path, headers: signed.headers, body };
}
