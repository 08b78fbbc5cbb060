/** The remedies for refusals of the admin API that have no code, and so no remedy in the error table. */

export interface RefusedRequest {
  readonly method: string;
  readonly path: string;
}

interface Refused extends RefusedRequest {
  readonly message: string;
  /** The first segment of the path, such as `deployments`. */
  readonly kind: string;
  /** The second segment, without escapes. */
  readonly id: string | undefined;
}

/** The kinds with a group of commands of the same name, in which `list` shows all. */
const LISTED: ReadonlySet<string> = new Set([
  "deployments",
  "services",
  "invocations",
  "subscriptions",
  "kafka-clusters",
]);

const FIXES: Readonly<Record<number, (refused: Refused) => string | undefined>> = {
  400: () => "Correct the value that the message names.",
  403: () =>
    "An admin API on AWS requires requests that are signed for IAM: reach it through `stepwell proxy`, with credentials whose policy grants execute-api:Invoke on this API.",
  404: ({ kind }) => (LISTED.has(kind) ? `\`stepwell ${kind} list\` shows the existing ${kind}.` : undefined),
  409: conflictFix,
  425: ({ kind, id }) => describeFix(kind, id, "shows for what it waits"),
};

export function fixOf(status: number, { method, path }: RefusedRequest, message: string): string | undefined {
  const [kind = "", id] = path.split("?", 1)[0]!.split("/");
  return FIXES[status]?.({ method, path, message, kind, id: id === undefined ? undefined : decodeURIComponent(id) });
}

function conflictFix({ method, path, message, kind, id }: Refused): string | undefined {
  if (message.includes("force=true")) return "On this command line, force=true is --force.";
  if (/^services\/[^/]+\/state$/.test(path)) return "Run the command again: it shows the present state first.";
  if (method === "POST") return LISTED.has(kind) ? `\`stepwell ${kind} list\` shows the existing ${kind}.` : undefined;
  return describeFix(kind, id, "shows the status");
}

function describeFix(kind: string, id: string | undefined, does: string): string | undefined {
  return id !== undefined && LISTED.has(kind) ? `\`stepwell ${kind} describe ${id}\` ${does}.` : undefined;
}
