/** Parses the choice of a deployment: `keep`, `latest`, or an id. */
import { IdError, parseDeploymentId } from "../../../core/model/ids.ts";
import type { DeploymentChoice } from "../../../engine/ports/submission.ts";

/** @returns undefined for any other text */
export function readDeploymentChoice(text: string): DeploymentChoice | undefined {
  if (text === "keep" || text === "Keep") return { kind: "keep" };
  if (text === "latest" || text === "Latest") return { kind: "latest" };
  try {
    return { kind: "id", deploymentId: parseDeploymentId(text) };
  } catch (error) {
    if (error instanceof IdError) return undefined;
    throw error;
  }
}
