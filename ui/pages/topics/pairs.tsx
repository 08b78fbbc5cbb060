/** Properties and options, one on each line; the server masks those that are secret. */
import type { JSX } from "preact";
import { ForeignText } from "../../parts/foreign-text.tsx";

export function Pairs({ pairs }: { readonly pairs: Readonly<Record<string, string>> }): JSX.Element {
  return (
    <div>
      {Object.entries(pairs).map(([name, value]) => (
        <div key={name}>
          <ForeignText text={name} maxChars={80} class="mono" />: <ForeignText text={value} maxChars={200} />
        </div>
      ))}
    </div>
  );
}
