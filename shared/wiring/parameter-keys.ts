/** The keys of an environment in SSM parameters: the secret for the derivation of ids, and the numbered signing keys. */
import { generateKeyPairSync } from "node:crypto";
import { ssmClient } from "../adapters/ssm/ssm-client.ts";
import { SsmParameters } from "../adapters/ssm/ssm-parameters.ts";
import { RequestIdentity } from "../adapters/system/request-identity.ts";
import { CodedError } from "../core/errors/coded-error.ts";
import { freshSecretBytes } from "./environment-secret.ts";

const SECRET_SIZE_BYTES = 32;

export type ParameterStore = Pick<SsmParameters, "read" | "make" | "remove">;

export interface ParameterPlace {
  /** The path of the parameters, such as `/stepwell/Shop`. */
  readonly path: string;
  /**
   * The number of the current signing key. Deployments trust it and the next one, so raising the number by one breaks
   * no deployment.
   */
  readonly signingKey: number;
}

export interface ParameterKeys {
  readonly secret: Uint8Array;
  /** A private key in PEM (PKCS#8). */
  readonly signingPem: string;
}

/** In the format that deployments are configured with. */
export interface PublicKeys {
  readonly current: string;
  readonly next: string;
}

export function parameterStore(): ParameterStore {
  return new SsmParameters(ssmClient());
}

export function parameterNames(place: ParameterPlace) {
  const { path, signingKey } = place;
  return { secret: `${path}/id-secret`, current: keyName(place, signingKey), next: keyName(place, signingKey + 1) };
}

function keyName({ path }: ParameterPlace, number: number): string {
  return `${path}/signing-key-${number}`;
}

/** @throws CodedError RT0002 if a parameter is missing, or if the secret has another size */
export async function readParameterKeys(parameters: ParameterStore, place: ParameterPlace): Promise<ParameterKeys> {
  const names = parameterNames(place);
  const [text, signingPem] = await Promise.all([
    existingValue(parameters, names.secret, "put back the one under which the table was written"),
    existingValue(parameters, names.current, "put it back, or raise signingKey by one and deploy"),
  ]);
  const secret = new Uint8Array(Buffer.from(text, "base64"));
  if (secret.length !== SECRET_SIZE_BYTES) {
    throw new CodedError("RT0002", `the parameter ${names.secret} holds no secret of ${SECRET_SIZE_BYTES} bytes`);
  }
  return { secret, signingPem };
}

/**
 * Creates missing keys and keeps existing ones, so it is idempotent.
 * @param kmsKeyId encrypts the new parameters; by default the account's own key for parameters
 */
export async function makeParameterKeys(
  parameters: ParameterStore,
  place: ParameterPlace,
  kmsKeyId?: string,
): Promise<PublicKeys> {
  const names = parameterNames(place);
  const encrypted = kmsKeyId === undefined ? {} : { kmsKeyId };
  const secret = Buffer.from(freshSecretBytes(SECRET_SIZE_BYTES)).toString("base64");
  await parameters.make({ name: names.secret, value: secret, description: "Ids are derived from it", ...encrypted });
  for (const name of [names.current, names.next]) {
    await parameters.make({ name, value: freshPem(), description: "Signs requests to deployments", ...encrypted });
  }
  const publicKeyOf = async (name: string) =>
    new RequestIdentity(await existingValue(parameters, name, "deploy again")).publicKey;
  return { current: await publicKeyOf(names.current), next: await publicKeyOf(names.next) };
}

/** Removes the secret and all signing keys of an environment that is deleted for good. */
export async function removeParameterKeys(parameters: ParameterStore, place: ParameterPlace): Promise<void> {
  const { secret } = parameterNames(place);
  for (let number = 1; number <= place.signingKey + 1; number++) await parameters.remove(keyName(place, number));
  await parameters.remove(secret);
}

async function existingValue(parameters: ParameterStore, name: string, remedy: string): Promise<string> {
  const value = await parameters.read(name);
  if (value !== undefined) return value;
  throw new CodedError("RT0002", `the parameter ${name} does not exist; ${remedy}`);
}

function freshPem(): string {
  return generateKeyPairSync("ed25519").privateKey.export({ type: "pkcs8", format: "pem" }).toString();
}
