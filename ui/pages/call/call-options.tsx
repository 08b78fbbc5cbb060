/** The fields of a call beside its payload: key, call or send, idempotency key, delay. */
import type { JSX } from "preact";
import type { HandlerBody, ServiceBody } from "../../../shared/api/wire/admin.ts";
import { parseDurationMs } from "../../../shared/core/model/duration.ts";
import { isRun } from "../../model/call-request.ts";

export interface CallChoices {
  readonly key: string;
  readonly isSend: boolean;
  readonly delay: string;
  readonly idempotencyKey: string;
}

export interface CallOptionsProps {
  readonly service: ServiceBody;
  readonly handler: HandlerBody;
  readonly choices: CallChoices;
  readonly onChange: (choices: CallChoices) => void;
}

export function CallOptions({ service, handler, choices, onChange }: CallOptionsProps): JSX.Element {
  const set = (changes: Partial<CallChoices>): void => onChange({ ...choices, ...changes });
  return (
    <>
      <div class="choices">
        <fieldset class="choices">
          <legend class="visually-hidden">Call or send</legend>
          <label>
            <input type="radio" name="mode" checked={!choices.isSend} onChange={() => set({ isSend: false })} /> Call,
            and wait for the result
          </label>
          <label>
            <input type="radio" name="mode" checked={choices.isSend} onChange={() => set({ isSend: true })} /> Send, and
            wait for nothing
          </label>
        </fieldset>
      </div>
      <div class="option-row">
        {service.ty !== "Service" && (
          <label class="field">
            {service.ty === "Workflow" ? "Workflow id" : "Key"}
            <input type="text" value={choices.key} onInput={({ currentTarget }) => set({ key: currentTarget.value })} />
          </label>
        )}
        {!isRun(service, handler) && (
          <label class="field">
            Idempotency key
            <span class="with-button">
              <input
                type="text"
                placeholder="none"
                value={choices.idempotencyKey}
                onInput={({ currentTarget }) => set({ idempotencyKey: currentTarget.value })}
              />
              <button type="button" onClick={() => set({ idempotencyKey: randomKey() })}>
                new
              </button>
            </span>
          </label>
        )}
        {choices.isSend && (
          <label class="field">
            Delay
            <input
              type="text"
              placeholder="none; 10s, 1h 30m"
              value={choices.delay}
              onInput={({ currentTarget }) => set({ delay: currentTarget.value })}
            />
          </label>
        )}
      </div>
    </>
  );
}

/** @returns what is wrong with the options, in words */
export function optionProblem({ delay, isSend }: CallChoices): string | undefined {
  const text = delay.trim();
  if (!isSend || text === "" || parseDurationMs(text) !== undefined) return undefined;
  return "The delay is a duration such as 10s, 1h 30m or PT5M.";
}

function randomKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(8));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
