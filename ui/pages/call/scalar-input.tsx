/** The fields for texts, numbers, choices and truth values. */
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { ExactNumber, numberOf } from "../../model/exact-json.ts";
import type { Field } from "../../../shared/api/wire/schema-field.ts";
import { shortened, visibleLine } from "../../model/visible-text.ts";

export interface ScalarInputProps {
  readonly field: Field & { readonly kind: "text" | "number" | "boolean" | "choice" };
  readonly label: string;
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
}

const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const FORMATS: Readonly<Record<string, string>> = { "date-time": "2026-01-01T00:00:00Z", date: "2026-01-01" };

export function ScalarInput({ field, label, value, onChange }: ScalarInputProps): JSX.Element {
  switch (field.kind) {
    case "text":
      return <TextInput label={label} value={value} format={field.format} onChange={onChange} />;
    case "number":
      return <NumberInput label={label} value={value} isInteger={field.isInteger} onChange={onChange} />;
    case "boolean":
      return (
        <input
          type="checkbox"
          aria-label={label}
          checked={value === true}
          onChange={({ currentTarget }) => onChange(currentTarget.checked)}
        />
      );
    case "choice":
      return <ChoiceInput label={label} value={value} values={field.values} onChange={onChange} />;
  }
}

type Common = Omit<ScalarInputProps, "field">;

function TextInput({ label, value, format, onChange }: Common & { readonly format: string | undefined }): JSX.Element {
  const text = typeof value === "string" ? value : "";
  // A field of one line would drop the line breaks.
  if (text.includes("\n")) {
    return (
      <textarea
        aria-label={label}
        rows={4}
        value={text}
        onInput={({ currentTarget }) => onChange(currentTarget.value)}
      />
    );
  }
  return (
    <input
      type="text"
      aria-label={label}
      placeholder={(format !== undefined && FORMATS[format]) || format}
      value={text}
      onInput={({ currentTarget }) => onChange(currentTarget.value)}
    />
  );
}

/** While the field has the focus, it keeps a text that is not a number, and such a text does not change the payload. */
function NumberInput({ label, value, isInteger, onChange }: Common & { readonly isInteger: boolean }): JSX.Element {
  const outside = value instanceof ExactNumber ? value.text : typeof value === "number" ? String(value) : "";
  const [draft, setDraft] = useState<string>();
  const isWrong = draft !== undefined && !JSON_NUMBER.test(draft);
  return (
    <>
      <input
        type="text"
        inputMode={isInteger ? "numeric" : "decimal"}
        aria-label={label}
        aria-invalid={isWrong}
        value={draft ?? outside}
        onInput={({ currentTarget }) => {
          const text = currentTarget.value.trim();
          setDraft(text);
          if (JSON_NUMBER.test(text)) onChange(numberOf(text));
        }}
        onBlur={() => setDraft(undefined)}
      />
      {isWrong && <span class="tone-failed">✕ no number</span>}
    </>
  );
}

function ChoiceInput({
  label,
  value,
  values,
  onChange,
}: Common & { readonly values: readonly unknown[] }): JSX.Element {
  const texts = values.map((one) => JSON.stringify(one));
  const at = texts.indexOf(JSON.stringify(value));
  return (
    <select
      aria-label={label}
      value={at}
      onChange={({ currentTarget }) => onChange(values[Number(currentTarget.value)])}
    >
      {at === -1 && <option value={-1}>choose …</option>}
      {values.map((one, index) => (
        <option key={texts[index]} value={index}>
          {shortened(visibleLine(typeof one === "string" ? one : texts[index]!), 80)}
        </option>
      ))}
    </select>
  );
}
