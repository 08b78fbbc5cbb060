/** The state of a deployment as glyph and word, with its meaning in the tooltip. */
import type { JSX } from "preact";
import type { DeploymentSummaryBody } from "../../../shared/api/contract/deployments.ts";
import { deploymentLook, STATUS_MEANING } from "../../model/deployment-text.ts";

export function DeploymentStatus({ status }: Pick<DeploymentSummaryBody, "status">): JSX.Element {
  const { word, glyph, tone } = deploymentLook(status);
  return (
    <span class={`status tone-${tone}`} title={STATUS_MEANING[status]}>
      <span class="glyph" aria-hidden="true">
        {glyph}
      </span>
      {word}
    </span>
  );
}
