/** `stepwell state clear <service>`: removes the values of every key of a service. */
import type { StateBody } from "../../../shared/api/contract/state.ts";
import { sqlText } from "../../../shared/api/wire/quoted-words.ts";
import { CommandFailure } from "../text/command-failure.ts";
import { EXIT_REFUSED } from "../text/exit-codes.ts";
import type { Session } from "../http/session.ts";
import { foreignLine } from "../text/visible-text.ts";

const SHOWN_MAX = 10;

interface Keys {
  readonly known: readonly string[];
  /** True if there are keys whose names the server cannot list, because they are long. */
  readonly hasMore: boolean;
}

export async function clearService(session: Session, service: string): Promise<void> {
  const { known, hasMore } = await keysOf(session, service);
  const outcomes: { key: string; outcome: "done" | "noted" }[] = [];
  if (known.length > 0) {
    session.show(`${keysText(service, known)}\n`);
    await session.confirm(`Remove all values of ${known.length === 1 ? "this key" : `these ${known.length} keys`}?`);
  }
  for (const key of known) {
    await session.admin.ask("POST", pathOf(service), { object_key: key, new_state: {} });
    const { body } = await session.admin.ask<StateBody>("GET", `${pathOf(service)}?${queryOf(key)}`);
    outcomes.push({ key, outcome: Object.keys(body.state).length === 0 ? "done" : "noted" });
  }
  session.give(outcomes, () => outcomeText(service, outcomes));
  if (!hasMore) return;
  throw new CommandFailure(`'${service}' also has state under keys of more than 1,500 bytes, which are not listed`, {
    exitCode: EXIT_REFUSED,
    fix: `Name each of these keys: \`stepwell state clear ${service} <key>\`.`,
  });
}

async function keysOf(session: Session, service: string): Promise<Keys> {
  const query = `SELECT DISTINCT service_key FROM state WHERE service_name = ${sqlText(service)}`;
  const { body } = await session.admin.ask<{ rows: { service_key?: string }[] }>("POST", "query", { query });
  const known = body.rows.flatMap(({ service_key: key }) => (key === undefined ? [] : [key]));
  return { known: known.sort((a, b) => (a < b ? -1 : 1)), hasMore: known.length < body.rows.length };
}

function keysText(service: string, keys: readonly string[]): string {
  const more = keys.length - SHOWN_MAX;
  const shown = keys.slice(0, SHOWN_MAX).map((key) => foreignLine(`${service}/${key}`));
  return [...shown, ...(more > 0 ? [`… and ${more} more keys`] : [])].join("\n");
}

function outcomeText(service: string, outcomes: readonly { readonly outcome: "done" | "noted" }[]): string {
  if (outcomes.length === 0) return foreignLine(`No key of '${service}' has state.`);
  const noted = outcomes.filter(({ outcome }) => outcome === "noted").length;
  const done = `Cleared ${outcomes.length - noted} of ${outcomes.length} keys of ${service}`;
  return foreignLine(noted === 0 ? done : `${done}; the state of ${noted} changes in its turn`);
}

function queryOf(key: string): string {
  return new URLSearchParams({ object_key: key }).toString();
}

function pathOf(service: string): string {
  return `services/${encodeURIComponent(service)}/state`;
}
