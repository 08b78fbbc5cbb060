/** Parameters of the query string of the admin API. */
import type { DeploymentChoice } from "../../engine/submission.ts";
import type { AdminRequest } from "./admin-request.ts";
import { readDeploymentChoice } from "./deployment-choice.ts";
import { PlainRefusal } from "./plain-refusal.ts";

/** The first value; undefined where there is none. */
export function queryParam({ request }: AdminRequest, name: string): string | undefined {
  return new URLSearchParams(request.query).get(name) ?? undefined;
}

/** @throws PlainRefusal 400 */
export function deploymentParam(asked: AdminRequest, fallback: DeploymentChoice): DeploymentChoice {
  const text = queryParam(asked, "deployment");
  if (text === undefined) return fallback;
  const choice = readDeploymentChoice(text);
  if (choice === undefined) throw badQuery(`deployment: '${text}' is none of keep, latest and the id of a deployment`);
  return choice;
}

export function badQuery(why: string): PlainRefusal {
  return new PlainRefusal(400, `Failed to deserialize query string: ${why}`);
}
