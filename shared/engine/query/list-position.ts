/** Where a page of a list ends and the next one begins. */
/** Everything up to and including it was given, or looked at and passed over. */
export interface ListPosition {
  readonly createdAtMs: number;
  readonly id: string;
  /**
   * Only where a page of what is open could not look at all that is young: `index` goes on with the rows of the open index
   * alone, and `young` then with what the open index does not show.
   */
  readonly part?: "index" | "young";
  /** Of `index`: where `young` goes on afterwards. */
  readonly young?: ListPosition;
}

type Moment = Pick<ListPosition, "createdAtMs" | "id">;

/** Newest first, those of one moment by their ids. */
export function isBehind({ createdAtMs, id }: Moment, position: ListPosition | undefined): boolean {
  if (position === undefined || createdAtMs < position.createdAtMs) return true;
  return createdAtMs === position.createdAtMs && id > position.id;
}

export function positionOf({ createdAtMs, id }: Moment): ListPosition {
  return { createdAtMs, id };
}

/** Behind everything of that moment and before everything older. */
export function behindMoment(createdAtMs: number): ListPosition {
  return { createdAtMs, id: "~" };
}

const POSITION = /^(\d{1,15})\.([A-Za-z0-9_~]{1,40})$/;

/** As a text of letters that a query needs not escape. */
export function positionText({ createdAtMs, id, part, young }: ListPosition): string {
  const text = `${createdAtMs}.${id}`;
  if (part === "young") return `${text}.young`;
  return part === "index" && young !== undefined ? `${text}.index.${young.createdAtMs}.${young.id}` : text;
}

/** @returns undefined where the text is no position */
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
