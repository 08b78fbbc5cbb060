/** A second reader of a partition, as for a while after a rebalance: it delivers a batch beside the first, or an older batch late. */
import type { RecordBatch, RecordSink } from "../../../shared/engine/ports/topics.ts";
import type { Random } from "../random.ts";

const DOUBLED_SHARE = 0.05;
const LATE_SHARE = 0.05;

export function misled(sink: RecordSink, random: Random, misbehaves: () => boolean): RecordSink {
  let former: RecordBatch | undefined;
  return {
    beginningOf: (of) => sink.beginningOf(of),
    moved: (of, nextOffset) => sink.moved(of, nextOffset),
    failed: (id, message, partition) => sink.failed(id, message, partition),
    async accept(batch) {
      const again = (one: RecordBatch): void => void sink.accept(one).catch(() => undefined);
      const isSame = former?.topicId === batch.topicId;
      if (former !== undefined && isSame && misbehaves() && random.chance(LATE_SHARE)) again(former);
      if (misbehaves() && random.chance(DOUBLED_SHARE)) again(batch);
      const outcome = await sink.accept(batch);
      former = batch;
      return outcome;
    },
  };
}
