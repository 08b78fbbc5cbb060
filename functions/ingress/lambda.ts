/** The ingress function: calls, sends, and questions about invocations. */
import { openAws } from "../../shared/wiring/aws.ts";
import { ingressHandler } from "./ingress-handler.ts";

export const handler = ingressHandler(await openAws({ functionName: "ingress", leavesSlowToQueue: true }));
