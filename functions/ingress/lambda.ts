/** The entry point of the ingress function, which serves the ingress API. */
import { openAws } from "../../shared/wiring/aws.ts";
import { measured } from "../lambda/measured.ts";
import { ingressHandler } from "./ingress-handler.ts";

const aws = await openAws({ functionName: "ingress", leavesSlowToQueue: true });

export const handler = measured(aws, ingressHandler(aws));
