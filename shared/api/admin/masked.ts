/** Values that nobody but their owner is to read, and how they are shown to everybody else. */
import { MASK } from "../../core/model/deployment.ts";

const SECRET_NAME = /pass|secret|token|credential|jaas|oauthbearer\.config|user\.info|\.key$|\.pem$|private/i;

/** Of properties those whose names speak of a secret are masked. */
export function withoutSecrets(properties: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(properties).map(([name, value]) => [name, SECRET_NAME.test(name) ? MASK : value]),
  );
}

/** All values are masked, and the names stay. */
export function maskedValues(map: object): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.keys(map).map((name) => [name, MASK]));
}
