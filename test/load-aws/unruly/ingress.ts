/** The ingress function with a queue that doubles, delays and loses messages. */
import { ingressHandler } from "../../../functions/ingress/ingress-handler.ts";
import { openUnruly } from "./open.ts";

export const handler = ingressHandler(await openUnruly({ functionName: "ingress", leavesSlowToQueue: true }));
