/** Stores an operator's act in an item that the act writes anyway, and finds the last act on an invocation. */
import type { Nonce } from "../../core/model/ids.ts";
import type { StorePorts } from "./store-ports.ts";
import type { OperatorAct } from "../ports/submission.ts";
import { belongsTo } from "./item-keys.ts";
import type { Item } from "../ports/table.ts";

interface ActAttributes {
  readonly act?: string;
  readonly actAtMs?: number;
  readonly actBy?: string;
}

const KINDS: ReadonlySet<string> = new Set<OperatorAct["kind"]>(["cancel", "kill", "pause", "resume", "restart"]);

/** @param by the operator, if one was authenticated */
export function actNow(
  { clock }: Pick<StorePorts, "clock">,
  kind: OperatorAct["kind"],
  by: string | undefined,
): OperatorAct {
  return { kind, atMs: clock.nowMs(), ...(by !== undefined && { by }) };
}

/** The attributes of an act for its item; none if there is no act. */
export function actAttributes(act: OperatorAct | undefined): ActAttributes {
  if (act === undefined) return {};
  return { act: act.kind, actAtMs: act.atMs, ...(act.by !== undefined && { actBy: act.by }) };
}

/** @param pages items of the partition, also of former lives @returns the latest act in the life `nonce`, if there is one */
export function lastActIn(nonce: Nonce, ...pages: readonly (readonly Item[])[]): OperatorAct | undefined {
  let last: OperatorAct | undefined;
  for (const items of pages) for (const item of items) last = later(last, item, nonce);
  return last;
}

function later(last: OperatorAct | undefined, item: Item, nonce: Nonce): OperatorAct | undefined {
  const { act, actAtMs, actBy } = item as ActAttributes;
  if (act === undefined || !KINDS.has(act) || typeof actAtMs !== "number" || !belongsTo(item.sk, nonce)) return last;
  if (last !== undefined && last.atMs > actAtMs) return last;
  return { kind: act as OperatorAct["kind"], atMs: actAtMs, ...(typeof actBy === "string" && { by: actBy }) };
}
