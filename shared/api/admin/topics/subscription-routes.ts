/**
 * The routes of subscriptions. The answer to a change comes after the consumers of this process have applied the
 * change.
 */
import { IdError, parseSubscriptionId, type SubscriptionId } from "../../../core/model/ids.ts";
import { changeOptions, subscribe } from "../../../engine/register/subscribe.ts";
import { readKafka } from "../../../engine/register/kafka-items.ts";
import { followChange, removeSubscription } from "../../../engine/topics/follow-subscriptions.ts";
import {
  pauseSubscription,
  resetSubscription,
  resumeSubscription,
} from "../../../engine/topics/subscription-orders.ts";
import { emptyResponse, jsonResponse, type HttpResponse } from "../../http/message.ts";
import { HttpProblem } from "../../http/problem.ts";
import { type AdminRequest, route, pathParam, PlainRefusal } from "../requests/admin-request.ts";
import { readJsonBody, readQuery } from "../requests/json-body.ts";
import {
  ChangeSubscription,
  CreateSubscription,
  ListSubscriptionsQuery,
  SubscriptionBody,
  Subscriptions,
} from "../../contract/topics.ts";
import { subscriptionBodies } from "./subscription-body.ts";

export const SUBSCRIPTION_ROUTES = [
  route("GET", "/subscriptions", listSubscriptions, {
    summary: "List the subscriptions",
    query: ListSubscriptionsQuery,
    answers: { 200: Subscriptions },
  }),
  route("POST", "/subscriptions", createSubscription, {
    summary: "Let the messages of a topic invoke a handler",
    body: [CreateSubscription],
    answers: { 201: SubscriptionBody },
    codes: ["META0009"],
  }),
  route("GET", "/subscriptions/:id", showSubscription, {
    summary: "Show a subscription",
    answers: { 200: SubscriptionBody },
  }),
  route("PATCH", "/subscriptions/:id", changeSubscription, {
    summary: "Pause or resume a subscription, change its options, or read again from another place",
    body: [ChangeSubscription],
    answers: { 200: SubscriptionBody },
    codes: ["META0009"],
  }),
  route("DELETE", "/subscriptions/:id", removeSubscriptionRoute, {
    summary: "Remove a subscription",
    answers: { 202: null },
  }),
];

async function createSubscription({ engine, request }: AdminRequest): Promise<HttpResponse> {
  const { source, sink, options } = readJsonBody(request, CreateSubscription);
  const subscription = await subscribe(engine, { source, sink, options: options ?? {} });
  await followChange(engine, (one) => one.id === subscription.id);
  const [body] = await subscriptionBodies(engine, await readKafka(engine), [subscription]);
  return jsonResponse(201, body, { location: `subscriptions/${subscription.id}` });
}

async function listSubscriptions({ engine, request }: AdminRequest): Promise<HttpResponse> {
  const { sink, source } = readQuery(request, ListSubscriptionsQuery);
  const read = await readKafka(engine);
  const wanted = read.subscriptions.filter(
    (one) => (sink === undefined || one.sink === sink) && (source === undefined || one.source === source),
  );
  return jsonResponse(200, { subscriptions: await subscriptionBodies(engine, read, wanted) });
}

async function showSubscription(asked: AdminRequest): Promise<HttpResponse> {
  return await shown(asked, subscriptionIdParam(asked));
}

/**
 * Changes the options first and resumes last, so that one request can correct the options of a paused subscription and
 * resume it.
 */
async function changeSubscription(asked: AdminRequest): Promise<HttpResponse> {
  const { engine, request } = asked;
  const id = subscriptionIdParam(asked);
  const { paused, options, reset } = readJsonBody(request, ChangeSubscription);
  const { subscriptions } = await readKafka(engine);
  if (!subscriptions.some((one) => one.id === id)) throw unknownSubscription(id);
  if (paused === true) await pauseSubscription(engine, id, request.caller);
  if (options !== undefined) await changeOptions(engine, id, options);
  if (reset !== undefined) await resetSubscription(engine, id, reset);
  if (paused === false) await resumeSubscription(engine, id);
  await followChange(engine, (one) => one.id === id);
  return await shown(asked, id);
}

async function removeSubscriptionRoute(asked: AdminRequest): Promise<HttpResponse> {
  const id = subscriptionIdParam(asked);
  if (!(await removeSubscription(asked.engine, id))) throw unknownSubscription(id);
  return emptyResponse(202);
}

async function shown({ engine }: AdminRequest, id: SubscriptionId): Promise<HttpResponse> {
  const read = await readKafka(engine);
  const found = read.subscriptions.filter((one) => one.id === id);
  if (found.length === 0) throw unknownSubscription(id);
  return jsonResponse(200, (await subscriptionBodies(engine, read, found))[0]);
}

function unknownSubscription(id: SubscriptionId): HttpProblem {
  return new HttpProblem(404, `The requested subscription '${id}' does not exist`);
}

function subscriptionIdParam(asked: AdminRequest): SubscriptionId {
  const raw = pathParam(asked, "id");
  try {
    return parseSubscriptionId(raw);
  } catch (error) {
    if (!(error instanceof IdError)) throw error;
    throw new PlainRefusal(
      400,
      `Invalid URL: Cannot parse \`subscription_id\` with value \`${raw}\`: ${error.message}`,
    );
  }
}
