/** The fields for objects and lists. */
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { fieldOf, isSchema, type Field, type Property, type Schema } from "../../../shared/api/wire/schema-field.ts";
import { sampleOf } from "../../../shared/api/wire/schema-sample.ts";
import { visibleLine } from "../../model/visible-text.ts";
import { ForeignText } from "../../parts/foreign-text.tsx";

export interface InnerInput {
  readonly schema: unknown;
  readonly root: unknown;
  readonly value: unknown;
  readonly label: string;
  readonly depth: number;
  readonly onChange: (value: unknown) => void;
}

interface NestedProps<Kind extends Field["kind"]> extends InnerInput {
  readonly field: Field & { readonly kind: Kind };
  /** The field for an inner schema. */
  readonly input: (inner: InnerInput) => JSX.Element;
}

/** The form shows at most this many items of a list; the reader edits the further ones in the JSON of the payload. */
const ITEMS_MAX = 50;

export function ObjectInput(props: NestedProps<"object">): JSX.Element {
  const { field, value, onChange } = props;
  const members: Schema = isSchema(value) ? value : {};
  const set = (name: string, next: unknown): void => onChange({ ...members, [name]: next });
  const drop = (name: string): void =>
    onChange(Object.fromEntries(Object.entries(members).filter(([one]) => one !== name)));
  const known = new Set(field.properties.map(({ name }) => name));
  const others = Object.keys(members).filter((name) => !known.has(name));
  return (
    <div class={props.depth === 0 ? "members" : "members nested"}>
      {field.properties.map((property) => (
        <Member
          key={property.name}
          {...props}
          property={property}
          isSet={Object.hasOwn(members, property.name)}
          value={members[property.name]}
          onSet={(next) => set(property.name, next)}
          onDrop={() => drop(property.name)}
        />
      ))}
      {others.map((name) => (
        <Member
          key={name}
          {...props}
          property={{ name, schema: field.more ?? {}, isRequired: false }}
          isSet
          value={members[name]}
          onSet={(next) => set(name, next)}
          onDrop={() => drop(name)}
        />
      ))}
      {field.more !== undefined && (
        <NewMember
          onAdd={(name) => set(name, sampleOf(field.more, props.root))}
          taken={new Set(Object.keys(members))}
        />
      )}
    </div>
  );
}

interface MemberProps extends NestedProps<"object"> {
  readonly property: Property;
  readonly isSet: boolean;
  readonly onSet: (value: unknown) => void;
  readonly onDrop: () => void;
}

function Member({ property, isSet, value, root, label, depth, input, onSet, onDrop }: MemberProps): JSX.Element {
  const { name, schema, isRequired } = property;
  const field = fieldOf(schema, root);
  const hint = "hint" in field ? field.hint : undefined;
  const inner = `${label === "Payload" ? "" : `${label} `}${visibleLine(name)}`;
  return (
    <div
      class={field.kind === "object" || field.kind === "array" || field.kind === "variants" ? "member tall" : "member"}
    >
      <div class="member-name">
        <span class="mono">
          <ForeignText text={name} maxChars={40} />
        </span>{" "}
        {isRequired && isSet ? (
          <span class="dim">required</span>
        ) : (
          <button
            type="button"
            class="quiet"
            aria-label={isSet ? `Leave out ${inner}` : isRequired ? `Set, required ${inner}` : `Set ${inner}`}
            onClick={() => (isSet ? onDrop() : onSet(sampleOf(schema, root)))}
          >
            {isSet ? "leave out" : isRequired ? "set, required" : "set"}
          </button>
        )}
      </div>
      <div class="member-input">
        {isSet && input({ schema, root, value, label: inner, depth: depth + 1, onChange: onSet })}
        {(field.description ?? hint) !== undefined && (
          <span class="dim hint">
            <ForeignText
              text={[field.description, hint].filter((one) => one !== undefined).join(" · ")}
              maxChars={300}
            />
          </span>
        )}
      </div>
    </div>
  );
}

function NewMember({ onAdd, taken }: { readonly onAdd: (name: string) => void; readonly taken: ReadonlySet<string> }) {
  const [name, setName] = useState("");
  return (
    <div class="buttons">
      <input
        type="text"
        aria-label="Name of a further member"
        placeholder="name"
        value={name}
        onInput={({ currentTarget }) => setName(currentTarget.value)}
      />
      <button
        type="button"
        class="quiet"
        disabled={name === "" || taken.has(name)}
        onClick={() => {
          onAdd(name);
          setName("");
        }}
      >
        add member
      </button>
    </div>
  );
}

export function ArrayInput({ field, value, root, label, depth, input, onChange }: NestedProps<"array">): JSX.Element {
  const items = Array.isArray(value) ? (value as readonly unknown[]) : [];
  return (
    <div class="items nested">
      {items.slice(0, ITEMS_MAX).map((item, at) => (
        <div key={at} class="item">
          <div class="item-head dim">
            <span class="number">{at + 1}</span>
            <button
              type="button"
              class="quiet"
              aria-label={`Remove item ${at + 1} of ${label}`}
              onClick={() => onChange(items.filter((_, other) => other !== at))}
            >
              remove
            </button>
          </div>
          {input({
            schema: field.items,
            root,
            value: item,
            label: `${label} ${at + 1}`,
            depth: depth + 1,
            onChange: (next) => onChange(items.with(at, next)),
          })}
        </div>
      ))}
      {items.length > ITEMS_MAX && <p class="dim">and {items.length - ITEMS_MAX} more items, in the JSON below</p>}
      <button
        type="button"
        class="quiet"
        aria-label={`Add item to ${label}`}
        disabled={items.length >= field.max}
        onClick={() => onChange([...items, sampleOf(field.items, root)])}
      >
        add item
      </button>
    </div>
  );
}
