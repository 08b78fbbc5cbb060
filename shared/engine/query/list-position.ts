/** The position at which a page of a list ends and the next page begins. */
import type { ListingRange } from "./listing-stream.ts";

/** Earlier pages have decided about every entry up to and including this position. */
export interface ListPosition {
  readonly createdAtMs: number;
  readonly id: string;
  /**
   * Present if a page of open invocations looked at only some of the young entries, which the sweeper has not passed yet
   * (ADR 0013). Later pages then list the rows of the open index (`index`), and after them the other young entries (`young`).
   */
  readonly part?: "index" | "young";
  /** Only if `part` is `index`: the position after which pages list young entries again, once all index rows are listed. */
  readonly young?: ListPosition;
}

type Moment = Pick<ListPosition, "createdAtMs" | "id">;

/** True if a row comes after the position. Within one moment, rows are sorted by id in either order. */
export function isBehind(
  { createdAtMs, id }: Moment,
  position: ListPosition | undefined,
  order: ListingRange["order"] = "newest-first",
): boolean {
  if (position === undefined) return true;
  if (createdAtMs === position.createdAtMs) return id > position.id;
  return order === "newest-first" ? createdAtMs < position.createdAtMs : createdAtMs > position.createdAtMs;
}

export function positionOf({ createdAtMs, id }: Moment): ListPosition {
  return { createdAtMs, id };
}

/** The position after every entry of that moment and before every older one. */
export function behindMoment(createdAtMs: number): ListPosition {
  return { createdAtMs, id: "~" };
}

const POSITION = /^(\d{1,15})\.([A-Za-z0-9_~]{1,40})$/;

/** The position as a text that needs no escaping in a query string. */
export function positionText({ createdAtMs, id, part, young }: ListPosition): string {
  const text = `${createdAtMs}.${id}`;
  if (part === "young") return `${text}.young`;
  return part === "index" && young !== undefined ? `${text}.index.${young.createdAtMs}.${young.id}` : text;
}

/** @returns undefined if the text is no position */
export function positionIn(text: string): ListPosition | undefined {
  const [, head = "", part, tail] = /^([^.]*\.[^.]*)(?:\.(index|young)(?:\.(.*))?)?$/.exec(text) ?? [];
  const [position, young] = [plainPosition(head), tail === undefined ? undefined : plainPosition(tail)];
  if (position === undefined || (part === "index") !== (young !== undefined)) return undefined;
  if (part === "young") return tail === undefined ? { ...position, part } : undefined;
  return part === "index" && young !== undefined ? { ...position, part, young } : position;
}

function plainPosition(text: string): ListPosition | undefined {
  const [, atMs, id] = POSITION.exec(text) ?? [];
  return atMs === undefined || id === undefined ? undefined : { createdAtMs: Number(atMs), id };
}
