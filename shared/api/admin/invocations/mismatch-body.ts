/** Formats a journal mismatch for the admin API. */
import type { MismatchSide, MismatchView } from "../../../engine/ports/submission.ts";
import type { MismatchBody, MismatchSideBody } from "../../contract/invocations.ts";
import { present, written } from "../requests/present.ts";
import { momentText } from "../requests/time-text.ts";

export function mismatchBody({ entry, rows, journal, code, waysOut }: MismatchView): MismatchBody {
  return {
    entry,
    rows,
    ...present({ journal: written(journal, ({ atMs, ...side }) => ({ ...sideBody(side), at: momentText(atMs) })) }),
    code: sideBody(code),
    ways_out: waysOut,
  };
}

function sideBody({ deploymentId, revision, address }: MismatchSide): MismatchSideBody {
  return { deployment_id: deploymentId, ...present({ revision, address }) };
}
