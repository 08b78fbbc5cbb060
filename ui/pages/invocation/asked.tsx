/** The dialog that the page of an invocation shows: it outlives the part of the page that asked for it. */
import type { JSX } from "preact";
import type { InvocationBody } from "../../../shared/api/wire/invocation.ts";
import type { ActionName } from "../../model/invocation-actions.ts";
import { ActionDialog } from "./action-dialog.tsx";
import { AwakeableDialog } from "./awakeable-dialog.tsx";

export type Asked =
  | {
      readonly kind: "action";
      readonly action: ActionName;
      readonly deployment?: string;
      readonly from?: number;
    }
  | { readonly kind: "awakeable"; readonly id: string; readonly outcome: "resolve" | "reject" };

/** Opens the dialog of an action or of an awakeable. */
export type Ask = (asked: Asked) => void;

export interface AskedDialogProps {
  readonly asked: Asked;
  readonly body: InvocationBody;
  readonly onChange: () => Promise<void>;
  readonly onClose: () => void;
}

export function AskedDialog({ asked, body, onChange, onClose }: AskedDialogProps): JSX.Element {
  if (asked.kind === "awakeable") return <AwakeableDialog {...asked} onChange={onChange} onClose={onClose} />;
  return <ActionDialog {...asked} body={body} onChange={onChange} onClose={onClose} />;
}
