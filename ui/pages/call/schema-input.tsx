/** A field of the form for one schema, and the fields within it. */
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { parseExact, stringifyExact, ExactNumber, numberOf } from "../../model/exact-json.ts";
import { fieldOf, type Field } from "../../../shared/api/wire/schema-field.ts";
import { sampleOf } from "../../../shared/api/wire/schema-sample.ts";
import { variantOf } from "../../model/schema-value.ts";
import { shortened, visibleLine } from "../../model/visible-text.ts";
import { ArrayInput, ObjectInput } from "./nested-input.tsx";

export interface SchemaInputProps {
  readonly schema: unknown;
  readonly root: unknown;
  readonly value: unknown;
  /** The name of the field for screen readers. */
  readonly label: string;
  readonly depth: number;
  readonly onChange: (value: unknown) => void;
}

/** Deeper fields are edited as JSON: their boxes would become too narrow. */
const DEPTH_MAX = 6;

export function SchemaInput(props: SchemaInputProps): JSX.Element {
  const { schema, root, value, label, depth, onChange } = props;
  const field = fieldOf(schema, root);
  if (field.isNullable) return <NullableInput {...props} field={field} />;
  if (depth > DEPTH_MAX) return <JsonInput label={label} value={value} onChange={onChange} />;
  return <FieldInput {...props} field={field} />;
}

type FieldProps = SchemaInputProps & { readonly field: Field };

function NullableInput(props: FieldProps): JSX.Element {
  const { schema, root, value, label, onChange, field } = props;
  const isNull = value === null;
  const first = (): unknown => sampleOf({ ...field, ...nonNull(schema) }, root) ?? "";
  return (
    <>
      <label class="null-choice">
        <input
          type="checkbox"
          aria-label={`${label} is null`}
          checked={isNull}
          onChange={({ currentTarget }) => onChange(currentTarget.checked ? null : firstValue(field, first))}
        />{" "}
        null
      </label>
      {!isNull && <FieldInput {...props} />}
    </>
  );
}

/** The value after the reader has unticked null. A sample of the schema would not do, because the sample would be null again. */
function firstValue(field: Field, otherwise: () => unknown): unknown {
  switch (field.kind) {
    case "text":
      return "";
    case "number":
      return 0;
    case "boolean":
      return false;
    case "array":
      return [];
    case "choice":
      return field.values[0];
    case "object":
      return {};
    default:
      return otherwise() ?? {};
  }
}

function nonNull(schema: unknown): object {
  return typeof schema === "object" && schema !== null ? { ...schema, nullable: false } : {};
}

function FieldInput(props: FieldProps): JSX.Element {
  const { field, value, label, onChange } = props;
  switch (field.kind) {
    case "object":
      return <ObjectInput {...props} field={field} input={(inner) => <SchemaInput {...inner} />} />;
    case "array":
      return <ArrayInput {...props} field={field} input={(inner) => <SchemaInput {...inner} />} />;
    case "variants":
      return <VariantInput {...props} variants={field.variants} />;
    case "json":
      return <JsonInput label={label} value={value} onChange={onChange} />;
    case "null":
      return <span class="dim">null</span>;
    case "text":
    case "number":
    case "boolean":
    case "choice":
      return <ScalarInput field={field} label={label} value={value} onChange={onChange} />;
  }
}

function VariantInput({ variants, ...props }: FieldProps & { readonly variants: readonly unknown[] }): JSX.Element {
  const { root, value, label, depth, onChange } = props;
  const at = variantOf(variants, value, root);
  return (
    <>
      <select
        aria-label={`${label}, variant`}
        value={at}
        onChange={({ currentTarget }) => onChange(sampleOf(variants[Number(currentTarget.value)], root))}
      >
        {variants.map((variant, index) => (
          <option key={index} value={index}>
            {variantName(variant, root, index)}
          </option>
        ))}
      </select>
      <SchemaInput
        schema={variants[at]}
        root={root}
        value={value}
        label={label}
        depth={depth + 1}
        onChange={onChange}
      />
    </>
  );
}

function variantName(variant: unknown, root: unknown, index: number): string {
  const { title, kind } = fieldOf(variant, root);
  return shortened(visibleLine(title ?? `${index + 1}: ${kind}`), 60);
}

interface JsonInputProps {
  readonly label: string;
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
}

/** For a value that a form cannot show. A text that is not yet JSON stays in the field, and the payload stays as it was. */
function JsonInput({ label, value, onChange }: JsonInputProps): JSX.Element {
  // Each render sets the field to its value, so the text has to be kept while the reader types.
  const [draft, setDraft] = useState<string>();
  return (
    <textarea
      aria-label={`${label}, as JSON`}
      rows={3}
      spellcheck={false}
      value={draft ?? (value === undefined ? "" : stringifyExact(value))}
      onInput={({ currentTarget }) => {
        currentTarget.setCustomValidity("");
        setDraft(currentTarget.value);
      }}
      onChange={({ currentTarget }) => {
        try {
          onChange(parseExact(currentTarget.value));
          setDraft(undefined);
        } catch {
          currentTarget.setCustomValidity("No JSON");
          currentTarget.reportValidity();
        }
      }}
    />
  );
}

/** The fields for texts, numbers, choices and truth values. */
interface ScalarInputProps {
  readonly field: Field & { readonly kind: "text" | "number" | "boolean" | "choice" };
  readonly label: string;
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
}

const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const FORMATS: Readonly<Record<string, string>> = { "date-time": "2026-01-01T00:00:00Z", date: "2026-01-01" };

function ScalarInput({ field, label, value, onChange }: ScalarInputProps): JSX.Element {
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
