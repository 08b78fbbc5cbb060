/** Masks confidential values for output. */
import { MASK } from "../../core/model/deployment.ts";

const SECRET_NAME = /pass|secret|token|credential|jaas|oauthbearer\.config|user\.info|\.key$|\.pem$|private/i;

/** Masks the properties whose names suggest a secret. */
export function withoutSecrets(properties: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(properties).map(([name, value]) => [name, SECRET_NAME.test(name) ? MASK : value]),
  );
}

/** Masks all values and keeps the names. */
export function maskedValues(map: object): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.keys(map).map((name) => [name, MASK]));
}
