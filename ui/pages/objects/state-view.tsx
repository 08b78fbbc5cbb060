/** The state of one key: its values with their sizes, and the changes that a reader can make. */
import type { JSX } from "preact";
import { useState, useEffect } from "preact/hooks";
import { askValue, type ShownState, type ValueSize } from "../../data/key-state.ts";
import type { KeyName } from "../../model/key-name.ts";
import type { StateEdit } from "../../model/key-state.ts";
import { countText, sizeText } from "../../model/size-text.ts";
import { EditDialog, RemovalDialog } from "./edit-dialog.tsx";
import { problemOf, type ApiProblem } from "../../data/api.ts";
import { shownBytes } from "../../model/payload-text.ts";
import { ForeignText } from "../../parts/foreign-text.tsx";
import { Payload } from "../../parts/payload.tsx";
import { ProblemBox, Skeleton } from "../../parts/states.tsx";

const SHOWN_VALUES = 300;
const FILTER_FROM = 12;

export interface StateViewProps {
  readonly named: KeyName;
  readonly shown: ShownState;
  readonly refresh: () => Promise<void>;
}

type Dialog =
  | { readonly kind: "edit"; readonly name: string | undefined }
  | { readonly kind: "remove"; readonly edit: StateEdit };

export function StateView(props: StateViewProps): JSX.Element {
  const { named, shown, refresh } = props;
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
  const asked = { named, refresh: refreshEdited, onClose: () => setDialog(undefined) };
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
            named={named}
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

/** One value of a state: name, size and beginning in a line; the whole value when the reader opens it. */
const PREVIEW_CHARS = 100;
/** The beginning of a value is enough for its preview. */
const PREVIEW_BYTES = 400;

interface StateValueProps {
  readonly named: KeyName;
  readonly size: ValueSize;
  /** Changes with each edit of the reader. */
  readonly version: number;
  /** Undefined if the page loads the value only when the reader opens it. */
  readonly bytes: Uint8Array | undefined;
  readonly onEdit: () => void;
  readonly onRemove: () => void;
}

function StateValue(props: StateValueProps): JSX.Element {
  const { size, bytes, onEdit, onRemove } = props;
  const [isOpen, setOpen] = useState(false);
  return (
    <details class="value" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        <span class="mono">
          <ForeignText text={size.name} maxChars={48} />
        </span>
        <span class="right number dim">{sizeText(size.bytes)}</span>
        <span class="mono cut">{bytes !== undefined && <Preview bytes={bytes} />}</span>
      </summary>
      {isOpen && (
        <div class="value-body">
          {bytes === undefined ? (
            <LateValue key={`${size.bytes} ${props.version}`} {...props} />
          ) : (
            <Payload content={textOrBytes(bytes)} fileName={`${size.name}.bin`} />
          )}
          <div class="buttons">
            <button type="button" onClick={onEdit}>
              Edit …
            </button>
            <button type="button" class="danger" onClick={onRemove}>
              Remove …
            </button>
          </div>
        </div>
      )}
    </details>
  );
}

function Preview({ bytes }: { readonly bytes: Uint8Array }): JSX.Element {
  const { text, kind } = shownBytes(bytes.length <= PREVIEW_BYTES ? bytes : bytes.slice(0, PREVIEW_BYTES));
  if (kind === "empty") return <span class="dim">(empty)</span>;
  return (
    <bdi class={kind === "binary" ? "dim" : undefined}>{text.replaceAll(/\s+/g, " ").slice(0, PREVIEW_CHARS)}</bdi>
  );
}

function LateValue({ named, size }: StateValueProps): JSX.Element {
  const [value, setValue] = useState<Uint8Array>();
  const [problem, setProblem] = useState<ApiProblem>();
  const load = async (): Promise<void> => {
    setProblem(undefined);
    try {
      setValue(await askValue(named, size.name));
    } catch (error) {
      setProblem(problemOf(error));
    }
  };
  useEffect(() => void load(), []);
  if (problem !== undefined) return <ProblemBox problem={problem} onRetry={() => void load()} />;
  return value === undefined ? <Skeleton /> : <Payload content={textOrBytes(value)} fileName={`${size.name}.bin`} />;
}

/** Returns a text if the bytes are UTF-8, because a reader can copy a text; else returns the bytes. */
function textOrBytes(bytes: Uint8Array): string | Uint8Array {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return bytes;
  }
}
