/** The state of one key: its values with their sizes, and the changes that a reader can make. */
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { ShownState } from "../../data/key-state.ts";
import type { StateEdit } from "../../model/key-state.ts";
import { countText, sizeText } from "../../model/size-text.ts";
import { EditDialog } from "./edit-dialog.tsx";
import { RemovalDialog } from "./removal-dialog.tsx";
import { StateValue } from "./state-value.tsx";

const SHOWN_VALUES = 300;
const FILTER_FROM = 12;

export interface StateViewProps {
  readonly service: string;
  readonly objectKey: string;
  readonly shown: ShownState;
  readonly refresh: () => Promise<void>;
}

type Dialog =
  | { readonly kind: "edit"; readonly name: string | undefined }
  | { readonly kind: "remove"; readonly edit: StateEdit };

export function StateView(props: StateViewProps): JSX.Element {
  const { service, objectKey, shown, refresh } = props;
  const [filter, setFilter] = useState("");
  const [dialog, setDialog] = useState<Dialog>();
  const { sizes } = shown;
  const matching = sizes.filter(({ name }) => name.includes(filter));
  const total = sizes.reduce((sum, { bytes }) => sum + bytes, 0);
  /** Counts the edits from this page. After each edit, an open value is loaded again. */
  const [edits, setEdits] = useState(0);
  const refreshEdited = async (): Promise<void> => {
    setEdits((count) => count + 1);
    await refresh();
  };
  const asked = { service, objectKey, refresh: refreshEdited, onClose: () => setDialog(undefined) };
  return (
    <>
      <div class="bar">
        <h2 id="state-head">
          State{" "}
          <span class="dim number">
            {countText(sizes.length)} {sizes.length === 1 ? "value" : "values"}, {sizeText(total)}
          </span>
        </h2>
        {sizes.length >= FILTER_FROM && (
          <input
            type="search"
            aria-label="Filter the values by name"
            placeholder="filter"
            value={filter}
            onInput={({ currentTarget }) => setFilter(currentTarget.value)}
          />
        )}
        <button type="button" onClick={() => setDialog({ kind: "edit", name: undefined })}>
          Add a value …
        </button>
        <button
          type="button"
          class="danger"
          disabled={sizes.length === 0}
          onClick={() => setDialog({ kind: "remove", edit: { kind: "clear" } })}
        >
          Clear …
        </button>
      </div>
      {sizes.length === 0 && <p class="dim">The key has no state.</p>}
      <div class="values">
        {matching.slice(0, SHOWN_VALUES).map((size) => (
          <StateValue
            key={size.name}
            service={service}
            objectKey={objectKey}
            size={size}
            version={edits}
            bytes={shown.whole?.values.get(size.name)}
            onEdit={() => setDialog({ kind: "edit", name: size.name })}
            onRemove={() => setDialog({ kind: "remove", edit: { kind: "remove", name: size.name } })}
          />
        ))}
      </div>
      {matching.length > SHOWN_VALUES && (
        <p class="dim">and {countText(matching.length - SHOWN_VALUES)} more: the filter narrows the list</p>
      )}
      {matching.length === 0 && sizes.length > 0 && <p class="dim">No value has a name with this text.</p>}
      {dialog?.kind === "edit" && <EditDialog {...asked} name={dialog.name} />}
      {dialog?.kind === "remove" && <RemovalDialog {...asked} edit={dialog.edit} />}
    </>
  );
}
