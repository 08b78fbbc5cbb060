/** Describes the routes for the OpenAPI document of the admin API: summary, request and answers. */
import type * as z from "zod";
import { Invocation } from "../contract/invocations.ts";
import { Batch, InvocationBatch, Restarted, ResumeQuery, RestartQuery, TerminateQuery } from "../contract/changes.ts";
import { ListInvocationsQuery } from "./schemas/query-schemas.ts";
import { InvocationList } from "../contract/invocations.ts";
import { Overview } from "../contract/overview.ts";
import { ServiceCounts } from "../contract/services.ts";
import { StatementBody, StatementRows } from "../contract/sql.ts";
import { RegisterHttp, RegisterLambda, RemoveDeploymentQuery, UpdateDeployment } from "../contract/deployments.ts";
import { ShowInvocationQuery } from "../contract/invocations.ts";
import { CallQuery, ModifyService, PreviewQuery } from "../contract/services.ts";
import {
  ChangeSubscription,
  CreateKafkaCluster,
  CreateSubscription,
  ListSubscriptionsQuery,
  RemoveKafkaClusterQuery,
  ShowKafkaClusterQuery,
  UpdateKafkaCluster,
} from "../contract/topics.ts";
import { Deployment, Deployments, Probe, Registered } from "../contract/deployments.ts";
import { ClusterHealth, Ready, Version } from "../contract/server.ts";
import { Handler, Handlers, Service, Services } from "../contract/services.ts";
import { KafkaCluster, KafkaClusters, Subscription, Subscriptions } from "../contract/topics.ts";

export interface Operation {
  readonly summary: string;
  /** The alternative schemas of the request body. */
  readonly body?: readonly z.ZodType[];
  readonly query?: z.ZodObject;
  /** The schemas of the answers by status; null means that the document describes no content. */
  readonly answers: Readonly<Record<number, z.ZodType | null>>;
  /** The codes of `docs/errors.md` with which the route refuses requests. */
  readonly codes?: readonly string[];
}

const DISCOVERY = ["META0003", "META0012", "META0013", "META0014", "META0015"];

/** The descriptions by method and pattern. The document shows a route without a description by its path and method only. */
export const OPERATIONS: Readonly<Record<string, Operation>> = {
  "GET /health": { summary: "Check that the server answers", answers: { 200: null } },
  "GET /ready": {
    summary: "Check that the server takes new work, with the reasons if it does not",
    answers: { 200: Ready, 503: Ready },
  },
  "GET /version": { summary: "Show the versions of the API and of the server", answers: { 200: Version } },
  "GET /cluster-health": { summary: "List the nodes of the cluster", answers: { 200: ClusterHealth } },
  "GET /metrics": { summary: "Metrics in the text format of Prometheus", answers: { 200: null } },
  "GET /deployments": { summary: "List the deployments", answers: { 200: Deployments } },
  "POST /deployments": {
    summary: "Discover and register a deployment",
    body: [RegisterHttp, RegisterLambda],
    answers: { 200: Registered, 201: Registered },
    codes: [...DISCOVERY, "META0004", "META0005", "META0006", "META0017"],
  },
  "GET /deployments/:id": { summary: "Show a deployment with its services", answers: { 200: Deployment } },
  "PUT /deployments/:id": {
    summary: "Update a deployment in place with freshly discovered metadata",
    body: [UpdateDeployment],
    answers: { 200: Deployment },
    codes: [...DISCOVERY, "META0005", "META0016"],
  },
  "PATCH /deployments/:id": {
    summary: "Change the address or the headers of a deployment",
    body: [UpdateDeployment],
    answers: { 200: Deployment },
    codes: [...DISCOVERY, "META0005", "META0016"],
  },
  "DELETE /deployments/:id": {
    summary: "Remove a deployment that no open invocation needs, or any by force",
    query: RemoveDeploymentQuery,
    answers: { 202: null },
  },
  "POST /deployments/:id/probe": {
    summary:
      "Ask a deployment at once what it announces, and compare the answer with its registration; nothing is stored",
    answers: { 200: Probe },
  },
  "GET /services": { summary: "List the services, each in its latest revision", answers: { 200: Services } },
  "GET /services/:service": { summary: "Show a service", answers: { 200: Service } },
  "PATCH /services/:service": {
    summary: "Change settings of a service until it is registered again",
    body: [ModifyService],
    answers: { 200: Service },
  },
  "GET /services/:service/handlers": { summary: "List the handlers of a service", answers: { 200: Handlers } },
  "GET /services/:service/handlers/:handler": { summary: "Show a handler", answers: { 200: Handler } },
  "GET /services/:service/openapi": {
    summary: "The OpenAPI document of a service: how its handlers are called",
    answers: { 200: null },
  },
  "GET /subscriptions": {
    summary: "List the subscriptions",
    query: ListSubscriptionsQuery,
    answers: { 200: Subscriptions },
  },
  "POST /subscriptions": {
    summary: "Let the messages of a topic invoke a handler",
    body: [CreateSubscription],
    answers: { 201: Subscription },
    codes: ["META0009"],
  },
  "GET /subscriptions/:id": { summary: "Show a subscription", answers: { 200: Subscription } },
  "PATCH /subscriptions/:id": {
    summary: "Pause or resume a subscription, change its options, or read again from another place",
    body: [ChangeSubscription],
    answers: { 200: Subscription },
    codes: ["META0009"],
  },
  "DELETE /subscriptions/:id": { summary: "Remove a subscription", answers: { 202: null } },
  "GET /kafka-clusters": { summary: "List the Kafka clusters", answers: { 200: KafkaClusters } },
  "POST /kafka-clusters": {
    summary: "Configure a Kafka cluster",
    body: [CreateKafkaCluster],
    answers: { 201: KafkaCluster },
  },
  "GET /kafka-clusters/:name": {
    summary: "Show a Kafka cluster",
    query: ShowKafkaClusterQuery,
    answers: { 200: KafkaCluster },
  },
  "PATCH /kafka-clusters/:name": {
    summary: "Replace the properties of a Kafka cluster",
    body: [UpdateKafkaCluster],
    answers: { 200: KafkaCluster },
  },
  "DELETE /kafka-clusters/:name": {
    summary: "Remove a Kafka cluster",
    query: RemoveKafkaClusterQuery,
    answers: { 202: null },
  },
  "POST /internal/services/:service/handlers/:handler/call": {
    summary: "Call a handler as the ingress does, and wait for its result",
    query: CallQuery,
    answers: { 200: null },
  },
  "POST /internal/services/:service/handlers/:handler/send": {
    summary: "Send to a handler as the ingress does",
    query: CallQuery,
    answers: { 200: null, 202: null },
  },
  "POST /internal/services/:service/serdes/encode/:name": {
    summary: "Convert JSON to a payload in the SDK of a deployment, by a serializer that offers a preview",
    query: PreviewQuery,
    answers: { 200: null },
  },
  "POST /internal/services/:service/serdes/decode/:name": {
    summary: "Convert a payload to JSON in the SDK of a deployment, by a serializer that offers a preview",
    query: PreviewQuery,
    answers: { 200: null },
  },
  "POST /internal/awakeables/:id/resolve": {
    summary: "Complete an awakeable with the body as its value, as the ingress does",
    answers: { 202: null },
  },
  "POST /internal/awakeables/:id/reject": {
    summary: "Complete an awakeable with a failure, whose message is the body, as the ingress does",
    answers: { 202: null },
  },
  "GET /invocations/:id": {
    summary: "Show an invocation with its journal",
    query: ShowInvocationQuery,
    answers: { 200: Invocation },
  },
  "GET /internal/service-counts": {
    summary: "Count the invocations of each service: open, failing, paused, and failed in the last hour",
    answers: { 200: ServiceCounts },
  },
  "GET /internal/overview": {
    summary: "Show what needs an operator, and count the open invocations",
    answers: { 200: Overview },
  },
  "GET /invocations": {
    summary: "List invocations, by filters and page by page",
    query: ListInvocationsQuery,
    answers: { 200: InvocationList },
  },
  "POST /query": {
    summary: "Query the tables of the control plane in SQL",
    body: [StatementBody],
    answers: { 200: StatementRows },
  },
  "PATCH /invocations/:id/cancel": { summary: "Cancel an invocation", answers: { 200: null, 202: null } },
  "PATCH /invocations/:id/kill": { summary: "Kill an invocation", answers: { 200: null } },
  "PATCH /invocations/:id/pause": {
    summary: "Pause an invocation (202: it pauses later, when its attempt is over or a driver has read the order)",
    answers: { 200: null, 202: null },
  },
  "PATCH /invocations/:id/resume": {
    summary: "Attempt an invocation now, on another deployment if asked to",
    query: ResumeQuery,
    answers: { 200: null },
  },
  "PATCH /invocations/:id/purge": { summary: "Delete a completed invocation", answers: { 200: null } },
  "PATCH /invocations/:id/purge-journal": {
    summary: "Delete the journal of a completed invocation",
    answers: { 200: null },
  },
  "PATCH /invocations/:id/restart-as-new": {
    summary: "Start a completed invocation again under another id",
    query: RestartQuery,
    answers: { 200: Restarted },
  },
  "DELETE /invocations/:id": {
    summary: "Cancel, kill or purge an invocation; the answer is the same whatever the outcome",
    query: TerminateQuery,
    answers: { 202: null },
  },
  "POST /internal/invocations_batch_operations/:operation": {
    summary: "Apply one of the operations to many invocations",
    body: [InvocationBatch],
    answers: { 200: Batch },
  },
};
