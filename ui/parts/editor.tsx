/**
 * An editor of a statement, of JSON or of text. A plain field is shown until the editor's part of the bundle is loaded,
 * and stays if the part fails to load.
 */
import type { JSX, Ref } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { EditorHandle, EditorLanguage, Tables } from "./editor-view.ts";

export interface EditorProps {
  readonly language: EditorLanguage;
  readonly value: string;
  readonly label: string;
  readonly onChange: (text: string) => void;
  /** Ctrl+Enter, or Cmd+Enter. */
  readonly onRun?: () => void;
  /** Shown while the editor is empty. */
  readonly hint?: string;
  /** Tables and columns to complete. */
  readonly tables?: Tables | undefined;
  /** The position of a word that is wrong. */
  readonly wrongAt?: number | undefined;
}

const NO_TABLES: Tables = {};

export function Editor(props: EditorProps): JSX.Element {
  const { language, value, label, tables = NO_TABLES, wrongAt } = props;
  const host = useRef<HTMLDivElement>(null);
  const frame = useRef<HTMLDivElement>(null);
  const plain = useRef<HTMLTextAreaElement>(null);
  const latest = useRef(props);
  latest.current = props;
  /** The typed texts that have not come back as `value` yet. The effect on `value` must not write an old one over the newest. */
  const typed = useRef<string[]>([]);
  const [handle, setHandle] = useState<EditorHandle>();
  useEffect(() => {
    let isGone = false;
    let opened: EditorHandle | undefined;
    const open = async (): Promise<void> => {
      const { openEditor } = await import("./editor-view.ts");
      const { current: element } = host;
      if (isGone || element === null) return;
      // In a shadow root the editor's styles are adopted sheets, which the policy of the page allows.
      const root = element.shadowRoot ?? element.attachShadow({ mode: "open" });
      const text = plain.current?.value ?? latest.current.value;
      typed.current = [text];
      opened = openEditor({
        root,
        language,
        text,
        label,
        hint: latest.current.hint ?? "",
        onChange: (text) => {
          typed.current.push(text);
          latest.current.onChange(text);
        },
        onRun: () => latest.current.onRun?.(),
        onLeave: () => frame.current?.focus(),
      });
      if (plain.current !== null) handOver(plain.current, opened);
      setHandle(opened);
    };
    // The plain field stays if the part does not load.
    void open().catch(() => undefined);
    return () => {
      isGone = true;
      opened?.destroy();
      setHandle(undefined);
    };
  }, [language, label]);
  useEffect(() => {
    const at = typed.current.indexOf(value);
    typed.current = at === -1 ? [] : typed.current.slice(at + 1);
    if (at === -1) handle?.setText(value);
  }, [handle, value]);
  useEffect(() => handle?.setTables(tables), [handle, tables]);
  useEffect(() => handle?.mark(wrongAt), [handle, wrongAt]);
  return (
    <div ref={frame} class="editor-frame" tabIndex={-1} role="group" aria-label={`${label}, editor`}>
      <div ref={host} class="editor" />
      {handle === undefined && <PlainField {...props} field={plain} />}
    </div>
  );
}

/** A reader who already types in the plain field goes on in the editor, at the same place. */
function handOver(plain: HTMLTextAreaElement, editor: EditorHandle): void {
  if (document.activeElement === plain) editor.focus(plain.selectionStart, plain.selectionEnd);
}

interface PlainFieldProps extends EditorProps {
  readonly field: Ref<HTMLTextAreaElement>;
}

function PlainField({ value, label, hint, onChange, onRun, field }: PlainFieldProps): JSX.Element {
  return (
    <textarea
      ref={field}
      aria-label={label}
      placeholder={hint}
      rows={6}
      spellcheck={false}
      value={value}
      onInput={({ currentTarget }) => onChange(currentTarget.value)}
      onKeyDown={(event) => {
        if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) onRun?.();
      }}
    />
  );
}
