/** A token issuer that publishes its keys, for an API that demands JWTs. */
import { createSign, generateKeyPairSync, type KeyObject } from "node:crypto";
import { createServer } from "node:http";
import { listen } from "../harness/local/local-stage.ts";

export interface Claims {
  readonly iss: string;
  readonly aud: string;
  readonly sub: string;
  /** Seconds since 1970, like every time in a token. */
  readonly exp: number;
  readonly nbf?: number;
}

export interface TokenIssuer {
  readonly url: string;
  token(claims: Claims): string;
  /** @returns a token signed with a foreign key, but with the key id of the issuer */
  forged(claims: Claims): string;
  close(): Promise<void>;
}

const KEY_ID = "one";

export async function startIssuer(): Promise<TokenIssuer> {
  const [own, foreign] = [0, 1].map(() => generateKeyPairSync("rsa", { modulusLength: 2048 }));
  const server = createServer((incoming, outgoing) => {
    const jwk = { ...own!.publicKey.export({ format: "jwk" }), kid: KEY_ID, alg: "RS256", use: "sig" };
    const base = `http://${incoming.headers.host}`;
    const isKeys = incoming.url === "/keys";
    outgoing.setHeader("content-type", "application/json");
    outgoing.end(JSON.stringify(isKeys ? { keys: [jwk] } : { issuer: base, jwks_uri: `${base}/keys` }));
  });
  const { uri, close } = await listen(server);
  return {
    url: uri,
    token: (claims) => signed(claims, own!.privateKey),
    forged: (claims) => signed(claims, foreign!.privateKey),
    close,
  };
}

function signed(claims: Claims, key: KeyObject): string {
  const parts = [{ alg: "RS256", typ: "JWT", kid: KEY_ID }, claims];
  const text = parts.map((part) => Buffer.from(JSON.stringify(part)).toString("base64url")).join(".");
  return `${text}.${createSign("RSA-SHA256").update(text).sign(key, "base64url")}`;
}
