/** A change of the state of an object or a workflow, as a handler's command requests it. */

export type StateChange =
  | { readonly kind: "set"; readonly key: string; readonly value: Uint8Array }
  | { readonly kind: "clear"; readonly key: string }
  | { readonly kind: "clear-all" };
