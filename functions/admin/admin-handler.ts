/** The Lambda handler of the admin API. IAM authorizes every caller before the function runs. */
import packageJson from "../../package.json" with { type: "json" };
import { adminApp } from "../../shared/api/admin/admin-app.ts";
import { isStatement } from "../../shared/api/admin/server/audit.ts";
import { answerTooLarge } from "../../shared/api/admin/sql/query-route.ts";
import { textResponse } from "../../shared/api/http/message.ts";
import { ingressApp } from "../../shared/api/ingress/ingress-app.ts";
import { withinTime } from "../../shared/engine/consume/time-budget.ts";
import type { Aws } from "../../shared/wiring/aws.ts";
import { answerPacking } from "../../shared/wiring/answer-packing.ts";
import { statementEvaluation } from "../../shared/wiring/statement-evaluation.ts";
import { builtInUi } from "../../shared/wiring/built-in-ui.ts";
import { invocationUseCases } from "../../shared/wiring/use-cases.ts";
import {
  requestOf,
  RESULT_MAX_BYTES,
  resultOf,
  type GatewayEvent,
  type GatewayResult,
} from "../lambda/gateway-event.ts";
import { functionMemoryBytes } from "../lambda/function-memory.ts";
import { timeIsUpAtMs, type LambdaContext } from "../lambda/time-left.ts";

export type AdminHandler = (event: GatewayEvent, context: LambdaContext) => Promise<GatewayResult>;

export function adminHandler(aws: Aws): AdminHandler {
  const { engine, settings } = aws;
  const ingressEndpoint = settings["aws.ingress-endpoint"];
  const app = adminApp(engine, {
    version: packageJson.config.version,
    ...(ingressEndpoint !== undefined && { ingressEndpoint }),
    runsOn: "functions",
    ...(!settings["admin.disable-web-ui"] && { uiFiles: builtInUi() }),
    ingress: ingressApp(engine, {
      unfinished: "out-of-time",
      forwardHeaders: settings["ingress.forward-headers"],
      journaledHeaders: settings["ingress.journaled-headers"],
    }),
    packing: answerPacking(),
    metricsText: async () => "# A function keeps no measures of its own.\n",
    invocations: invocationUseCases,
    statements: statementEvaluation(engine, settings, {
      memoryMaxBytes: functionMemoryBytes(process.env) / 2,
      environment: process.env,
      wholeMaxBytes: RESULT_MAX_BYTES,
    }),
  });
  return async (event, context) => {
    const untilMs = timeIsUpAtMs(aws, context);
    const request = { ...requestOf(event), answerByMs: untilMs };
    const isTooLarge = request.body.length > settings["admin.request-size-limit"];
    const answer = async () => (isTooLarge ? textResponse(413, "length limit exceeded") : await app(request));
    const response = await withinTime(engine, untilMs, answer);
    const tooLarge = () =>
      isStatement(request) ? answerTooLarge() : textResponse(500, "the answer is larger than a function can return");
    return resultOf(response, tooLarge);
  };
}
