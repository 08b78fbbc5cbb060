/** Names the subscription that a dialog is about. */
import type { JSX } from "preact";
import type { SubscriptionBody } from "../../../shared/api/contract/topics.ts";
import { ForeignText } from "../../parts/foreign-text.tsx";

export function Subject({ subscription: { source, sink } }: { readonly subscription: SubscriptionBody }): JSX.Element {
  return (
    <p class="subject mono">
      <ForeignText text={source} maxChars={100} /> → <ForeignText text={sink} maxChars={100} />
    </p>
  );
}
