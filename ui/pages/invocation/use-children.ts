/**
 * The called invocations whose calls are expanded. The page reads each when its call is first expanded, and again whenever the
 * parent was read again, until the called invocation has ended.
 */
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { InvocationBody } from "../../../shared/api/contract/invocations.ts";
import { ApiProblem, ask } from "../../data/api.ts";
import { busySpans, wholeSpan } from "../../model/timeline/activity.ts";
import type { Operation } from "../../model/timeline/operation.ts";
import { operationsOf } from "../../model/timeline/operations.ts";
import type { Child } from "../../model/timeline/rows.ts";
import type { Span } from "../../model/timeline/scale.ts";

/** The page shows this many entries of a child. A note below them refers the reader to the child's own page for the rest. */
const ENTRIES_MAX = 2_000;

export interface Children {
  readonly operations: ReadonlyMap<string, Child>;
  busy(now: number): readonly Span[];
  bodyOf(id: string): InvocationBody | undefined;
}

type Known = Child & { readonly body?: InvocationBody };

/** @param expanded the keys of expanded rows; `5/2` is operation 2 of the invocation that the page's operation 5 calls */
export function useChildren(
  parent: InvocationBody,
  expanded: ReadonlySet<string>,
  operations: readonly Operation[],
): Children {
  const [known, setKnown] = useState<ReadonlyMap<string, Known>>(new Map());
  const asking = useRef(new Set<string>());
  const wanted = useMemo(() => wantedIds(expanded, operations, known), [expanded, operations, known]);
  const load = (id: string): void => {
    if (asking.current.has(id)) return;
    asking.current.add(id);
    void read(id).then((child) => {
      asking.current.delete(id);
      setKnown((now) => new Map(now).set(id, child));
    });
  };
  useEffect(() => {
    for (const id of wanted) if (!known.has(id)) load(id);
  }, [wanted]);
  useEffect(() => {
    for (const id of wanted) {
      const child = known.get(id);
      if (child?.kind === "failed" || (child?.body !== undefined && child.body.status !== "completed")) load(id);
    }
  }, [parent]);
  return {
    operations: known,
    busy: (now) => [...wanted].flatMap((id) => (known.get(id)?.body ? busySpans(known.get(id)!.body!, now) : [])),
    bodyOf: (id) => known.get(id)?.body,
  };
}

async function read(id: string): Promise<Known> {
  try {
    const body = await ask<InvocationBody>(`invocations/${encodeURIComponent(id)}?limit=${ENTRIES_MAX}`);
    const { startMs, endMs } = wholeSpan(body, Number.NaN);
    const span = body.completed_at === undefined ? { startMs } : { startMs, endMs };
    return {
      kind: "loaded",
      operations: operationsOf(body),
      isCut: body.entry_count > body.entries.length,
      body,
      span,
    };
  } catch (error) {
    const isGone = error instanceof ApiProblem && error.status === 404;
    const reason = isGone
      ? "The called invocation is no longer kept."
      : `The called invocation cannot be read: ${String(error)}`;
    return { kind: "failed", reason };
  }
}

function wantedIds(
  expanded: ReadonlySet<string>,
  operations: readonly Operation[],
  known: ReadonlyMap<string, Known>,
): ReadonlySet<string> {
  const ids = new Set<string>();
  for (const key of expanded) {
    const id = childOf(key.split("/"), operations, known);
    if (id !== undefined) ids.add(id);
  }
  return ids;
}

function childOf(
  path: readonly string[],
  operations: readonly Operation[],
  known: ReadonlyMap<string, Known>,
): string | undefined {
  const id = operations.find(({ key }) => key === path[0])?.childId;
  if (id === undefined || path.length === 1) return id;
  const child = known.get(id);
  return child?.kind === "loaded" ? childOf(path.slice(1), child.operations, known) : undefined;
}
