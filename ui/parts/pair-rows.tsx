/** Rows of a name and a value each, such as headers. */
import type { JSX } from "preact";
import type { Pair } from "../model/register-form.ts";

export interface PairRowsProps {
  /** The name of the rows, in the plural: "Headers". */
  readonly title: string;
  readonly pairs: readonly Pair[];
  /** Values are hidden while they are typed. */
  readonly isSecret?: boolean;
  readonly onChange: (pairs: readonly Pair[]) => void;
}

export function PairRows({ title, pairs, isSecret = false, onChange }: PairRowsProps): JSX.Element {
  const change = (at: number, pair: Pair): void => onChange(pairs.with(at, pair));
  return (
    <fieldset class="pairs">
      <legend>{title}</legend>
      {pairs.map((pair, at) => (
        <div key={at} class="pair">
          <input
            type="text"
            aria-label={`${title}, name ${at + 1}`}
            placeholder="name"
            value={pair.name}
            onInput={({ currentTarget }) => change(at, { ...pair, name: currentTarget.value })}
          />
          <input
            type={isSecret ? "password" : "text"}
            autocomplete="off"
            aria-label={`${title}, value ${at + 1}`}
            placeholder="value"
            value={pair.value}
            onInput={({ currentTarget }) => change(at, { ...pair, value: currentTarget.value })}
          />
          <button
            type="button"
            class="quiet"
            aria-label={`Remove row ${at + 1} of ${title}`}
            onClick={() => onChange(pairs.filter((_, other) => other !== at))}
          >
            remove
          </button>
        </div>
      ))}
      <button type="button" class="quiet" onClick={() => onChange([...pairs, { name: "", value: "" }])}>
        add {title.toLowerCase()}
      </button>
    </fieldset>
  );
}
