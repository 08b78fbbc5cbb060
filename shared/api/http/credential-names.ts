/**
 * The catalogue of names that credentials have in headers and in queries. A journal lives for days and many can read it, so the
 * ingress keeps what these names stand for out of it. A signature that is bound to the body of a request, such as that of a webhook,
 * is no credential: handlers verify it.
 */

/** Words that end the name of a credential: `x-forwarded-access-token`, `x-ms-token-aad-id-token`, `apiToken`. */
const LAST_WORDS = ["token", "secret", "password", "passwd", "pwd", "credential", "credentials", "auth", "bearer"];
/** Words that make any name with them that of a credential: `cf-access-jwt-assertion`, `x-serverless-authorization`. */
const WORDS = new Set(["authorization", "cookie", "cookie2", "jwt", "assertion", "dpop", "apikey", "accesskey"]);
/** A name that ends with one of these words and `key`: `x-api-key`, `ocp-apim-subscription-key`, `x-functions-key`. */
const KINDS_OF_KEY = new Set(
  "access account admin api app application auth consumer function functions license master private rapidapi sas secret service shared signing subscription".split(
    " ",
  ),
);
/** Tokens that only mark a place in a list or a request, and give no right. */
const NO_RIGHT = new Set(["page", "next", "continuation", "pagination", "sync", "cursor", "idempotency"]);

/** Gateways and authenticating proxies use these prefixes for identities, signatures and tokens. */
const PREFIXES = [
  "x-amz-",
  "x-amzn-",
  "x-auth-request-",
  "x-ms-token-",
  "x-goog-iap-",
  "x-goog-signature",
  "cf-access-",
];

const HEADERS = new Set([
  "set-cookie",
  "x-firebase-appcheck",
  "x-vercel-protection-bypass",
  // With these headers, a server signs its requests to a deployment. A handler that calls this ingress may pass on the
  // headers that it got from another server, whose signature must not be stored or sent on.
  "x-restate-signature-scheme",
  "x-restate-jwt-v1",
]);

/** In a query the signature itself is the right: `sig` of a shared access signature, `signature` of a signed URL. */
const PARAMETERS = new Set(["sig", "signature", "sas", "x-goog-credential", "client_assertion"]);

/** The first names that came, because clients send the same ones with each request. A hostile client fills it and costs no memory. */
const judged = new Map<string, boolean>();
const JUDGED_MAX = 256;
const JUDGED_MAX_CHARS = 64;

/** @param name the name of a header in lower case */
export function isCredentialHeader(name: string): boolean {
  const known = judged.get(name);
  if (known !== undefined) return known;
  const isCredential = HEADERS.has(name) || isCredentialName(name);
  if (judged.size < JUDGED_MAX && name.length <= JUDGED_MAX_CHARS) judged.set(name, isCredential);
  return isCredential;
}

/** @param name the decoded name of a query parameter, as written */
export function isCredentialParameter(name: string): boolean {
  return PARAMETERS.has(name.toLowerCase()) || isCredentialName(name);
}

function isCredentialName(name: string): boolean {
  const lower = name.toLowerCase();
  if (PREFIXES.some((prefix) => lower.startsWith(prefix))) return true;
  const words = wordsOf(name);
  const last = words.at(-1) ?? "";
  const before = words.at(-2) ?? "";
  if (words.some((word) => WORDS.has(word))) return true;
  if (last === "key") return KINDS_OF_KEY.has(before);
  return LAST_WORDS.some((word) => last.endsWith(word)) && !(last === "token" && NO_RIGHT.has(before));
}

/** The words of a name: `x-api-key`, `api_key` and `apiKey` have the same last two. */
function wordsOf(name: string): readonly string[] {
  return name
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1-$2")
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== "");
}
