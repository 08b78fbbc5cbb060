/** The ingress function with a queue that doubles, delays and loses messages. */
import { ingressHandler } from "../../../functions/ingress/ingress-handler.ts";
import { openFaulty } from "./open.ts";

export const handler = ingressHandler(await openFaulty({ functionName: "ingress", leavesSlowToQueue: true }));
