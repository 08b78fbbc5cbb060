/** Converts a wake to text and back, in one format for all queues and timers that transport text. */
import { IdError, parseInvocationId } from "../../core/model/ids.ts";
import { QUEUE_DELAY_MAX_MS, type Wake } from "./queue.ts";

export type ReadBody = { readonly wake: Wake } | { readonly wrong: string };

/** A longer name of a service is left out, so that the message stays small. The worker then reads it from the table. */
const SERVICE_MAX_CHARACTERS = 1_024;
const NOT_ASCII = /[\u007f-\uffff]/g;

/** The text is ASCII, because queues accept only the characters of XML 1.0. */
export function bodyOfWake({ invocationId, sentAtMs, delayMs, wakeAtMs, service }: Wake): string {
  const says = service !== undefined && service.length <= SERVICE_MAX_CHARACTERS;
  const body = JSON.stringify({
    id: invocationId,
    sentAtMs,
    delayMs,
    ...(wakeAtMs !== undefined && { wakeAtMs }),
    ...(says && { service }),
  });
  return says ? body.replace(NOT_ASCII, escaped) : body;
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

/** @returns the wake, or what is wrong. Does not throw, because anyone with access can put other texts in a queue. */
export function wakeOfBody(body: string): ReadBody {
  let read: unknown;
  try {
    read = JSON.parse(body);
  } catch {
    return { wrong: "it is no JSON" };
  }
  if (typeof read !== "object" || read === null || Array.isArray(read)) return { wrong: "it is no JSON object" };
  const { id, sentAtMs, delayMs, wakeAtMs, service } = read as Readonly<Record<string, unknown>>;
  if (typeof id !== "string") return { wrong: "it has no id" };
  if (!isMoment(sentAtMs)) return { wrong: "sentAtMs is no moment" };
  if (!isMoment(delayMs) || delayMs > QUEUE_DELAY_MAX_MS) return { wrong: "delayMs is no delay of a queue" };
  if (wakeAtMs !== undefined && !isMoment(wakeAtMs)) return { wrong: "wakeAtMs is no moment" };
  try {
    const invocationId = parseInvocationId(id);
    return {
      wake: {
        invocationId,
        sentAtMs,
        delayMs,
        ...(wakeAtMs !== undefined && { wakeAtMs }),
        ...(typeof service === "string" && { service }),
      },
    };
  } catch (error) {
    if (error instanceof IdError) return { wrong: `its id is not valid: ${error.message}` };
    throw error;
  }
}

function isMoment(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value) && value >= 0;
}
