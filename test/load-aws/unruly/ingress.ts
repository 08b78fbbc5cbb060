/** The ingress function with a queue that doubles, delays and loses. */
import { ingressHandler } from "../../../functions/ingress/ingress-handler.ts";
import { openAws } from "../../../shared/wiring/aws.ts";
import { unruly } from "./unruly.ts";

export const handler = ingressHandler(
  await openAws({ functionName: "ingress", leavesSlowToQueue: true, throughQueue: unruly }),
);
