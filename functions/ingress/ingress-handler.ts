/** The ingress as a function: one request, one response, within the time that the gateway waits. */
import { bodyTooLargeResponse, resultTooLargeResponse } from "../../shared/api/ingress/answers.ts";
import { ingressApp } from "../../shared/api/ingress/ingress-app.ts";
import { withinTime } from "../../shared/engine/consume/time-budget.ts";
import type { Aws } from "../../shared/wiring/aws.ts";
import { requestOf, resultOf, type GatewayEvent, type GatewayResult } from "../lambda/gateway-event.ts";
import { timeIsUpAtMs, type LambdaContext } from "../lambda/time-left.ts";

export type IngressHandler = (event: GatewayEvent, context: LambdaContext) => Promise<GatewayResult>;

export function ingressHandler(aws: Aws): IngressHandler {
  const { engine, settings } = aws;
  const app = ingressApp(engine, {
    unfinished: "out-of-time",
    forwardHeaders: settings["ingress.forward-headers"],
    journaledHeaders: settings["ingress.journaled-headers"],
    ...(settings["ingress.bind-to-caller"] && { boundExcept: settings["ingress.readers-of-all"] }),
  });
  return async (event, context) => {
    const request = requestOf(event, settings["aws.caller-claim"]);
    const untilMs = timeIsUpAtMs(aws, context, settings["aws.ingress-time"]);
    const isTooLarge = request.body.length > settings["ingress.request-size-limit"];
    const answer = async () => (isTooLarge ? bodyTooLargeResponse(true) : await app(request));
    const response = await withinTime(engine, untilMs, answer);
    const { "x-restate-id": invocationId } = response.headers;
    engine.log.write("request.answered", { method: request.method, status: response.status, invocationId });
    return resultOf(response, resultTooLargeResponse);
  };
}
