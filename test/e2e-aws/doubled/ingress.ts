/** The ingress function, with a queue that delivers every message twice and in any order. */
import { ingressHandler } from "../../../functions/ingress/ingress-handler.ts";
import { openAws } from "../../../shared/wiring/aws.ts";
import { doubled } from "./doubled.ts";

export const handler = ingressHandler(
  await openAws({ functionName: "ingress", leavesSlowToQueue: true, throughQueue: doubled }),
);
