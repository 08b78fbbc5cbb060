/** The pause of a subscription with its reason, and its last error, which stays after a recovery. */
import type { JSX } from "preact";
import type { SubscriptionBody, SubscriptionPauseBody } from "../../../shared/api/contract/topics.ts";
import { countText } from "../../model/size-text.ts";
import { badRecordText } from "../../model/topic-text.ts";
import { ForeignText } from "../../parts/foreign-text.tsx";
import { Age } from "../../parts/moment.tsx";

const ERROR_CHARS = 240;

export function Trouble({ subscription }: { readonly subscription: SubscriptionBody }): JSX.Element {
  const { pause, last_error: error, status } = subscription;
  if (pause === undefined && error === undefined) return <span class="dim">none</span>;
  return (
    <div>
      {pause !== undefined && <Pause pause={pause} />}
      {error !== undefined && (
        <div class={status === "failing" ? "" : "dim"}>
          <ForeignText text={error.message} maxChars={ERROR_CHARS} />
          <span class="dim">
            {" "}
            · {error.partition !== undefined && `partition ${error.partition} · `}
            <Age at={error.at} />
          </span>
        </div>
      )}
    </div>
  );
}

export function Pause({ pause }: { readonly pause: SubscriptionPauseBody }): JSX.Element {
  const { reason, at, by, partition, offset } = pause;
  if (reason === "order") {
    return (
      <div>
        Paused
        {by !== undefined && (
          <>
            {" "}
            by <ForeignText text={by} maxChars={60} />
          </>
        )}{" "}
        <Age at={at} />
      </div>
    );
  }
  return (
    <div>
      Stopped before a bad record:{" "}
      <span class="number">
        partition {partition}, offset {offset === undefined ? "unknown" : countText(offset)}
      </span>
      ; <ForeignText text={badRecordText(pause)} maxChars={ERROR_CHARS} />{" "}
      <span class="dim">
        · <Age at={at} />
      </span>
    </div>
  );
}
