/** The rows of a timeline: operations, groups of equal ones, and the rows of called invocations below their calls. */
import { lookOfKind, type Operation } from "./operation.ts";

/** The called invocation of an expanded call, as far as the page has loaded it. */
export type Child =
  | { readonly kind: "loading" }
  | { readonly kind: "failed"; readonly reason: string }
  | {
      readonly kind: "loaded";
      readonly operations: readonly Operation[];
      readonly isCut: boolean;
      /** From the acceptance of the called invocation to its end; without an end while it is open. */
      readonly span?: { readonly startMs: number; readonly endMs?: number };
    };

export type Row = { readonly key: string; readonly depth: number; readonly invocationId: string } & (
  | {
      readonly kind: "operation";
      readonly operation: Operation;
      /** Undefined for an operation that cannot be expanded. */
      readonly isExpanded?: boolean;
    }
  | {
      readonly kind: "group";
      readonly operations: readonly Operation[];
      readonly isExpanded: boolean;
      readonly failed: number;
    }
  | { readonly kind: "note"; readonly text: string; readonly isLoading: boolean }
);

export interface RowChoice {
  /** Keys of expanded rows. */
  readonly expanded: ReadonlySet<string>;
  readonly children: ReadonlyMap<string, Child>;
  /** Only operations that contain this text are shown; an empty text shows all. */
  readonly find: string;
}

/** This number of equal siblings, or a larger number, becomes a group. */
export const GROUP_FROM = 6;
/** A chain of calls may be long, and each level is indented. */
const DEPTH_MAX = 12;

export function rowsOf(invocationId: string, operations: readonly Operation[], choice: RowChoice): readonly Row[] {
  const rows: Row[] = [];
  addRows(rows, operations, choice, { prefix: "", depth: 0, path: [invocationId] });
  return rows;
}

interface Place {
  readonly prefix: string;
  readonly depth: number;
  /** The ids of the invocations, from the page's invocation down to the invocation of the rows. */
  readonly path: readonly string[];
}

function addRows(rows: Row[], operations: readonly Operation[], choice: RowChoice, place: Place): void {
  const needle = choice.find.trim().toLowerCase();
  const found = needle === "" ? operations : operations.filter((one) => isFound(one, needle, choice));
  for (let at = 0; at < found.length;) {
    const end = endOfEqual(found, at);
    // Operations that a search has found are not grouped, because other operations may be between them.
    if (end - at >= GROUP_FROM && needle === "") addGroup(rows, found.slice(at, end), choice, place);
    else for (const operation of found.slice(at, end)) addOperation(rows, operation, choice, place);
    at = end;
  }
}

function addGroup(rows: Row[], operations: readonly Operation[], choice: RowChoice, place: Place): void {
  const key = `${place.prefix}g${operations[0]!.key}`;
  const isExpanded = choice.expanded.has(key);
  const failed = operations.filter(hasFailed).length;
  rows.push({
    key,
    kind: "group",
    operations,
    isExpanded,
    failed,
    depth: place.depth,
    invocationId: place.path.at(-1)!,
  });
  if (!isExpanded) return;
  for (const operation of operations) addOperation(rows, operation, choice, { ...place, depth: place.depth + 1 });
}

function addOperation(rows: Row[], operation: Operation, choice: RowChoice, place: Place): void {
  const key = `${place.prefix}${operation.key}`;
  const { depth, path } = place;
  const invocationId = path.at(-1)!;
  const { childId } = operation;
  if (childId === undefined) {
    rows.push({ key, kind: "operation", operation, depth, invocationId });
    return;
  }
  const isExpanded = choice.expanded.has(key);
  rows.push({ key, kind: "operation", operation: asRecorded(operation, choice), depth, invocationId, isExpanded });
  if (!isExpanded) return;
  const note = (text: string, isLoading = false): void =>
    void rows.push({ key: `${key}/note`, kind: "note", text, isLoading, depth: depth + 1, invocationId: childId });
  if (path.includes(childId)) return note("This invocation is shown above: the calls form a circle.");
  if (depth >= DEPTH_MAX) return note("Open the called invocation to see more: this is the deepest level here.");
  const child = choice.children.get(childId) ?? { kind: "loading" };
  if (child.kind === "loading") return note("Loading the called invocation …", true);
  if (child.kind === "failed") return note(child.reason);
  addRows(
    rows,
    child.operations,
    { ...choice, find: "" },
    { prefix: `${key}/`, depth: depth + 1, path: [...path, childId] },
  );
  if (child.isCut) note("Open the called invocation to see the rest of its entries.");
}

/** The call with the times of the called invocation itself, once these are loaded. A call may meet an invocation that began before. */
function asRecorded(operation: Operation, { children }: RowChoice): Operation {
  const child = operation.childId === undefined ? undefined : children.get(operation.childId);
  if (child?.kind !== "loaded" || child.span === undefined || operation.kind !== "call") return operation;
  const startMs = Math.max(operation.startMs, child.span.startMs);
  const { endMs: childEndMs = Infinity } = child.span;
  // It had ended before this call met it, or its server's clock differs: its times are not those of the call.
  if (childEndMs < operation.startMs) return operation;
  const endMs = operation.endMs === undefined ? undefined : Math.min(operation.endMs, childEndMs);
  const { within: _, ...known } = operation;
  return { ...known, startMs, ...(endMs !== undefined && { endMs: Math.max(startMs, endMs) }) };
}

/** @returns the index after the consecutive operations that equal the one at `from` */
function endOfEqual(operations: readonly Operation[], from: number): number {
  const { kind, label } = operations[from]!;
  let end = from + 1;
  while (end < operations.length && operations[end]!.kind === kind && operations[end]!.label === label) end++;
  return end;
}

export function hasFailed({ outcome, tries }: Operation): boolean {
  return outcome === "failed" || outcome === "retrying" || tries.length > 0;
}

/** The first operation that failed for good or retries, else the first one with a failed try. */
export function firstProblem(operations: readonly Operation[]): Operation | undefined {
  return operations.find(({ outcome }) => outcome === "failed" || outcome === "retrying") ?? operations.find(hasFailed);
}

function isFound({ kind, label, childId, tries, key }: Operation, needle: string, { children }: RowChoice): boolean {
  const texts = [
    label,
    lookOfKind(kind).word,
    childId ?? "",
    ...tries.map(({ failure }) => `${failure.error_code} ${failure.message}`),
  ];
  if (`#${key}` === needle || texts.some((text) => text.toLowerCase().includes(needle))) return true;
  const child = childId === undefined ? undefined : children.get(childId);
  return child?.kind === "loaded" && child.operations.some(({ label: inner }) => inner.toLowerCase().includes(needle));
}
