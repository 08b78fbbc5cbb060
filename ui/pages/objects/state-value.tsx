/** One value of a state: name, size and beginning in a line; the whole value when the reader opens it. */
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { type ApiProblem, problemOf } from "../../data/api.ts";
import { askValue } from "../../data/key-state.ts";
import type { ValueSize } from "../../data/key-state.ts";
import { shownBytes } from "../../model/payload-text.ts";
import { sizeText } from "../../model/size-text.ts";
import { ForeignText } from "../../parts/foreign-text.tsx";
import { Payload } from "../../parts/payload.tsx";
import { ProblemBox, Skeleton } from "../../parts/states.tsx";

const PREVIEW_CHARS = 100;
/** The beginning of a value is enough for its preview. */
const PREVIEW_BYTES = 400;

export interface StateValueProps {
  readonly service: string;
  readonly objectKey: string;
  readonly size: ValueSize;
  /** Changes with each edit of the reader. */
  readonly version: number;
  /** Undefined if the page loads the value only when the reader opens it. */
  readonly bytes: Uint8Array | undefined;
  readonly onEdit: () => void;
  readonly onRemove: () => void;
}

export function StateValue(props: StateValueProps): JSX.Element {
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

function LateValue({ service, objectKey, size }: StateValueProps): JSX.Element {
  const [value, setValue] = useState<Uint8Array>();
  const [problem, setProblem] = useState<ApiProblem>();
  const load = async (): Promise<void> => {
    setProblem(undefined);
    try {
      setValue(await askValue(service, objectKey, size.name));
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
