/** Signs requests to deployments: an Ed25519 key pair, and the tokens made with it. */
import { createPrivateKey, createPublicKey, sign, type KeyObject } from "node:crypto";

const BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
const KEY_PREFIX = "publickeyv1_";
/** Clocks differ, and a request may wait for a connection. */
const LEEWAY_S = 60;

export interface SignedSubject {
  /** The protocol's own path, without the prefix under which the deployment is registered. */
  readonly path: string;
  /** The key of a keyed target. */
  readonly key?: string;
}

export class RequestIdentity {
  /** The form in which deployments get the public key: `publickeyv1_` and base58. */
  readonly publicKey: string;
  readonly #privateKey: KeyObject;
  readonly #header: string;

  /** @param pem a private key in PEM (PKCS#8) @throws Error if the key is unreadable or is not an Ed25519 key */
  constructor(pem: string) {
    this.#privateKey = createPrivateKey(pem);
    if (this.#privateKey.asymmetricKeyType !== "ed25519") {
      throw new Error(`the key is ${this.#privateKey.asymmetricKeyType ?? "of no known kind"}, not ed25519`);
    }
    const { x = "" } = createPublicKey(this.#privateKey).export({ format: "jwk" });
    this.publicKey = KEY_PREFIX + base58(Buffer.from(x, "base64url"));
    this.#header = encoded({ typ: "JWT", alg: "EdDSA", kid: this.publicKey });
  }

  /** A compact token for one request. @param nowMs milliseconds since the epoch */
  token({ path, key }: SignedSubject, nowMs: number): string {
    const nowS = Math.floor(nowMs / 1000);
    const claims = { aud: path, iat: nowS, nbf: nowS - LEEWAY_S, exp: nowS + LEEWAY_S };
    const signed = `${this.#header}.${encoded(key === undefined ? claims : { ...claims, sub: key })}`;
    return `${signed}.${sign(null, Buffer.from(signed), this.#privateKey).toString("base64url")}`;
  }
}

function encoded(part: object): string {
  return Buffer.from(JSON.stringify(part)).toString("base64url");
}

/** Bitcoin's alphabet; each leading zero byte becomes one leading zero digit. */
function base58(bytes: Uint8Array): string {
  let value = BigInt(`0x${Buffer.from(bytes).toString("hex")}`);
  let digits = "";
  for (; value > 0n; value /= 58n) digits = BASE58[Number(value % 58n)]! + digits;
  const leading = bytes.findIndex((byte) => byte !== 0);
  return BASE58[0]!.repeat(leading < 0 ? bytes.length : leading) + digits;
}
