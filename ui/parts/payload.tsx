/** A payload: indented JSON, text or hexadecimal, with its size, and with buttons that copy and download it. */
import type { JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import { payloadLabel, shownBytes, shownText, type ShownPayload } from "../model/payload-text.ts";
import { sizeText } from "../model/size-text.ts";
import { CopyButton } from "./copy-button.tsx";

export interface PayloadProps {
  /** As it came: a text, or bytes. */
  readonly content: string | Uint8Array;
  /** The size of the whole payload in bytes; `content` may be only the beginning. */
  readonly size?: number;
  /** True if `content` is only the beginning. */
  readonly isCut?: boolean;
  /** The name of a downloaded file. */
  readonly fileName: string;
}

/** A longer payload is shown from its beginning, until the reader asks for all of it. */
const SHOWN_CHARS = 20_000;

export function Payload({ content, size, isCut = false, fileName }: PayloadProps): JSX.Element {
  const [isWhole, setWhole] = useState(false);
  const { kind, text } = useMemo<ShownPayload>(
    () => (typeof content === "string" ? shownText(content, isCut) : shownBytes(content)),
    [content, isCut],
  );
  const here = typeof content === "string" ? new TextEncoder().encode(content).length : content.length;
  const bytes = size ?? here;
  const shown = isWhole ? text : text.slice(0, SHOWN_CHARS);
  return (
    <div class="payload">
      <div class="payload-head dim">
        <span>{payloadLabel(kind, { here, bytes, isCut })}</span>
        {typeof content === "string" && content !== "" && <CopyButton text={content} what="payload" />}
        {bytes > 0 && (
          <button type="button" class="quiet" onClick={() => download(content, fileName)}>
            {isCut ? "download the beginning" : "download"}
          </button>
        )}
      </div>
      {kind === "empty" ? (
        <p class="dim">No bytes.</p>
      ) : (
        <pre tabIndex={0} aria-label="Payload" class="mono">
          {shown}
        </pre>
      )}
      {shown.length < text.length && (
        <button type="button" class="quiet" onClick={() => setWhole(true)}>
          {isCut ? `show all ${sizeText(here)} that are here` : `show all of ${sizeText(bytes)}`}
        </button>
      )}
    </div>
  );
}

/** The type keeps a browser from opening the file as a page of this origin. */
export function download(content: string | Uint8Array, fileName: string): void {
  const blob = new Blob([content as BlobPart], { type: "application/octet-stream" });
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = fileName;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1_000);
}
