/** The failure of `stepwell proxy`, which answers in place of the server behind it. */
import type { DoorErrorBody } from "../../../shared/api/wire/door.ts";
import { errorBody } from "./answer-text.ts";
import { codedFailure, CommandFailure, EXIT_NO_SERVER, EXIT_REFUSED } from "../text/command-failure.ts";

interface ProxyAnswer {
  /** The address of the proxy, for messages. */
  readonly base: string;
  /** The method and the path. */
  readonly asked: string;
  readonly status: number;
  readonly text: string;
}

const FIX =
  "Check the address after --to, and that this machine can reach it. The proxy writes a line for each request on its terminal.";

/** @returns undefined if the answer does not come from a proxy */
export function proxyFailure({ base, asked, status, text }: ProxyAnswer): CommandFailure | undefined {
  const body = errorBody<DoorErrorBody>(text);
  if (body?.source !== "proxy") return undefined;
  const { restate_code: code = null, message } = body;
  if (code !== null) return codedFailure(code, message);
  const isUpstream = status === 502;
  return new CommandFailure(isUpstream ? `\`stepwell proxy\` at ${base} reaches no server` : message, {
    exitCode: isUpstream ? EXIT_NO_SERVER : EXIT_REFUSED,
    status,
    cause: isUpstream ? message : `${status} to ${asked}`,
    ...(isUpstream && { fix: FIX }),
  });
}
