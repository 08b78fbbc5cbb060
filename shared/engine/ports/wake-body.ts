/** A wake as text, for queues and timers that carry text: one form, so that whatever sends it the same reader takes it. */
import { IdError, parseInvocationId } from "../../core/model/ids.ts";
import type { Wake } from "./queue.ts";
import { QUEUE_DELAY_MAX_MS } from "./queue.ts";

export type ReadBody = { readonly wake: Wake } | { readonly wrong: string };

/** A longer name is left out: a message must not grow with it, and who takes the message learns it from the table. */
const SERVICE_MAX_CHARACTERS = 1_024;
const NOT_ASCII = /[\u007f-\uffff]/g;

/** In ASCII alone, because queues take characters of XML 1.0 and no others. */
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

/** Anybody who may write to a queue may write anything into it: what is no wake is told apart, and never thrown. */
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
    if (error instanceof IdError) return { wrong: `its id is none: ${error.message}` };
    throw error;
  }
}

function isMoment(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value) && value >= 0;
}
