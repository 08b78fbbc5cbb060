/** The head of a table: a row with the words of its columns. */
import type { JSX } from "preact";

export interface TableColumn {
  readonly words: string;
  readonly class?: "right" | "when-wide";
  readonly title?: string;
  /** True if only a screen reader says the words. */
  readonly isHidden?: boolean;
}

export function TableHead({ columns }: { readonly columns: readonly (string | TableColumn)[] }): JSX.Element {
  return (
    <thead>
      <tr>
        {columns.map((column) => {
          const { words, isHidden = false, ...attributes } = typeof column === "string" ? { words: column } : column;
          return (
            <th key={words} scope="col" {...attributes}>
              {isHidden ? <span class="visually-hidden">{words}</span> : words}
            </th>
          );
        })}
      </tr>
    </thead>
  );
}
