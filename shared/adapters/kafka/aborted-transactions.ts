/** Tells the records of aborted transactions in the answer to a fetch, from the broker's list and the markers, as Kafka's own consumer does. */
import type * as Client from "@platformatic/kafka";
import type { RecordsBatch } from "@platformatic/kafka";

export interface AbortedTransaction {
  readonly producerId: bigint;
  readonly firstOffset: bigint;
}

type Batch = Pick<RecordsBatch, "firstOffset" | "lastOffsetDelta" | "attributes" | "producerId" | "records">;

interface AnsweredPartition {
  abortedTransactions?: readonly AbortedTransaction[] | null;
}

type Parse = (...given: readonly unknown[]) => unknown;
type Send = (
  this: unknown,
  apiKey: number,
  apiVersion: number,
  payload: unknown,
  parse: Parse,
  ...more: unknown[]
) => void;

const FETCH = 1;
const IS_TRANSACTIONAL = 16;
const IS_CONTROL = 32;
/** The place and the value of the type in the key of a marker. */
const MARKER_TYPE_AT = 2;
const ABORT = 0;

const lists = new WeakMap<object, readonly AbortedTransaction[]>();

/**
 * The client filters the answer to a fetch before it hands it out, and its filter knows one range per producer: it keeps records of
 * an aborted transaction if there are two of them, or if the marker comes in a later answer, and it drops records of a committed
 * transaction that lies before the marker of an aborted one without records. So this function takes the broker's list out of each
 * answer, before the filter sees it; `abortedIn` gives the list. The client has no hook for this, so the function wraps `send`.
 */
export function tellAborted({ Connection }: Pick<typeof Client, "Connection">): void {
  const connection = Connection.prototype as unknown as { send: Send };
  const { send } = connection;
  connection.send = function tellingSend(apiKey, apiVersion, payload, parse, ...more) {
    send.call(this, apiKey, apiVersion, payload, apiKey === FETCH ? withheld(parse) : parse, ...more);
  };
}

function withheld(parse: Parse): Parse {
  return (...given) => {
    const response = parse(...given);
    const { responses } = response as { readonly responses: readonly { readonly partitions: AnsweredPartition[] }[] };
    for (const partition of responses.flatMap(({ partitions }) => partitions)) {
      lists.set(partition, partition.abortedTransactions ?? []);
      partition.abortedTransactions = null;
    }
    return response;
  };
}

/** The broker's list for a partition of an answer: each aborted transaction with records or a marker in the answer. */
export function abortedIn(partition: AnsweredPartition): readonly AbortedTransaction[] {
  return lists.get(partition) ?? partition.abortedTransactions ?? [];
}

/**
 * @param aborted the list of the answer that contains the batches
 * @returns a function that is called with each batch of an answer, in order, and returns whether its transaction was aborted
 */
export function abortsOf(aborted: readonly AbortedTransaction[]): (batch: Batch) => boolean {
  const coming = aborted.toSorted((a, b) => Number(a.firstOffset - b.firstOffset));
  /** The producers whose aborted transaction has begun before the present batch, and has no marker yet. */
  const aborting = new Set<bigint>();
  return (batch) => {
    const { firstOffset, lastOffsetDelta, attributes, producerId } = batch;
    const lastOffset = firstOffset + BigInt(lastOffsetDelta);
    while (coming[0] !== undefined && coming[0].firstOffset <= lastOffset) aborting.add(coming.shift()!.producerId);
    if (isAbortMarker(batch)) aborting.delete(producerId);
    return (attributes & IS_TRANSACTIONAL) !== 0 && aborting.has(producerId);
  };
}

function isAbortMarker({ attributes, records }: Batch): boolean {
  const key = (attributes & IS_CONTROL) === 0 ? undefined : records[0]?.key;
  return key?.readInt16BE(MARKER_TYPE_AT) === ABORT;
}
