/** The failure of `stepwell proxy`, which answers in place of the server behind it. */
import type { DoorErrorBody } from "../../../shared/api/wire/door.ts";
import { CommandFailure, codedFailure } from "../text/command-failure.ts";
import { EXIT_NO_SERVER, EXIT_REFUSED } from "../text/exit-codes.ts";

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
  const body = bodyIn(text);
  if (body === undefined) return undefined;
  if (body.restate_code !== null) return codedFailure(body.restate_code, body.message);
  const isUpstream = status === 502;
  return new CommandFailure(isUpstream ? `\`stepwell proxy\` at ${base} reaches no server` : body.message, {
    exitCode: isUpstream ? EXIT_NO_SERVER : EXIT_REFUSED,
    status,
    cause: isUpstream ? body.message : `${status} to ${asked}`,
    ...(isUpstream && { fix: FIX }),
  });
}

function bodyIn(text: string): DoorErrorBody | undefined {
  try {
    const body = JSON.parse(text) as Partial<DoorErrorBody> | null;
    if (body?.source !== "proxy" || typeof body.message !== "string") return undefined;
    return { message: body.message, restate_code: body.restate_code ?? null, source: "proxy" };
  } catch {
    return undefined;
  }
}
