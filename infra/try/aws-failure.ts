/** Converts errors of AWS and its tools to failures, with a fix for each known error. */
import { CommandFailure } from "../../functions/cli/text/command-failure.ts";
import { EXIT_NOT_TRIED } from "./exit-codes.ts";

interface Known {
  readonly matches: RegExp;
  readonly message: string;
  readonly fix: string;
}

const LOG_IN = "Log in again (`aws sso login`, or as your company does it), or choose others with --profile.";

/** The first entry that matches an error's name and message is used. */
const KNOWN: readonly Known[] = [
  {
    matches: /expired|ExpiredToken|^(?=.*token)(?=.*sso).*(?:refresh|invalid)/i,
    message: "The credentials for AWS have expired",
    fix: LOG_IN,
  },
  {
    matches: /Could not load credentials|CredentialsProviderError|Unable to resolve AWS account|credentials could not/i,
    message: "No credentials for AWS are found",
    fix: "Set AWS_PROFILE or pass --profile, or set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY; `aws configure` writes a profile.",
  },
  {
    matches: /InvalidClientTokenId|UnrecognizedClient|SignatureDoesNotMatch|InvalidSignature|AuthFailure/i,
    message: "AWS does not know the credentials",
    fix: LOG_IN,
  },
  {
    matches: /Region is missing/i,
    message: "No Region is chosen",
    fix: "Pass --region, set AWS_REGION, or give the profile one.",
  },
  {
    matches: /bootstrap/i,
    message: "The CDK is not bootstrapped in this account and Region",
    fix: "Run `npx cdk bootstrap` for it once, with rights of an administrator.",
  },
  {
    matches: /is not authorized to perform|AccessDenied|not authorized|UnauthorizedOperation/i,
    message: "A permission is missing",
    fix: "Ask for it, or use credentials of an administrator of the account: the stack makes functions, roles, a table and queues.",
  },
  {
    matches: /ENOTFOUND|ECONNREFUSED|ETIMEDOUT|EAI_AGAIN|getaddrinfo|TimeoutError|NetworkingError/i,
    message: "AWS does not answer",
    fix: "Look at the network, and at AWS_ENDPOINT_URL.",
  },
];

const CAUSE_MAX_CHARACTERS = 600;

/** @param what the failed operation, used if no known reason matches */
export function awsFailure(what: string, error: unknown): CommandFailure {
  if (error instanceof CommandFailure) return error;
  const words = wordsOf(error);
  const known = KNOWN.find(({ matches }) => matches.test(words));
  return new CommandFailure(known?.message ?? what, {
    exitCode: EXIT_NOT_TRIED,
    cause: causeIn(words),
    ...(known !== undefined && { fix: known.fix }),
  });
}

/** For a tool's output, only the lines that report a failure. */
function wordsOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { told, code } = error as { readonly told?: string; readonly code?: string };
  if (told === undefined) return [error.name, code, error.message].filter((part) => part !== undefined).join(": ");
  const lines = told.split("\n").map((line) => line.trim());
  const failing = lines.filter((line) => /_FAILED|❌|[Ee]rror|failed|not authorized|denied|expired/.test(line));
  return [...new Set(failing.length === 0 ? lines.slice(-5) : failing)].join("\n");
}

function causeIn(words: string): string {
  return words.length <= CAUSE_MAX_CHARACTERS ? words : `${words.slice(0, CAUSE_MAX_CHARACTERS)} ...`;
}
