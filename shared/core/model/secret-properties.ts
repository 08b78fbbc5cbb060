/** Masks properties of clients whose names suggest a secret. */
import { MASK } from "./deployment.ts";

const SECRET_NAME = /pass|secret|token|credential|jaas|oauthbearer\.config|user\.info|\.key$|\.pem$|private/i;

export function withoutSecrets(properties: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(properties).map(([name, value]) => [name, SECRET_NAME.test(name) ? MASK : value]),
  );
}
