/** The admin API and the ingress, as the tests of topics use them. */
import type { SubscriptionBody } from "../../shared/api/contract/topics.ts";
import { fetch } from "../harness/local/admin-access.ts";

export interface ControlPlane {
  readonly adminUri: string;
  readonly ingressUri: string;
}

/** @throws Error with the answer if the server refuses */
export async function ask<Body>(
  { adminUri }: ControlPlane,
  method: string,
  path: string,
  body?: object,
): Promise<Body> {
  const response = await fetch(`${adminUri}/${path}`, {
    method,
    headers: { accept: "application/json", ...(body && { "content-type": "application/json" }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
  return (text === "" ? undefined : JSON.parse(text)) as Body;
}

export async function configure(plane: ControlPlane, address: string, name = "main"): Promise<void> {
  await ask(plane, "POST", "kafka-clusters", { name, properties: { "bootstrap.servers": address } });
}

/** Begins with the first record of the topic, unless the options say otherwise. */
export async function subscribe(
  plane: ControlPlane,
  topic: string,
  sink: string,
  options: Readonly<Record<string, string>> = {},
): Promise<string> {
  const { id } = await ask<SubscriptionBody>(plane, "POST", "subscriptions", {
    source: `kafka://main/${topic}`,
    sink: `service://${sink}`,
    options: { "auto.offset.reset": "earliest", ...options },
  });
  return id;
}

export async function subscription(plane: ControlPlane, id: string): Promise<SubscriptionBody> {
  return await ask(plane, "GET", `subscriptions/${id}`);
}

export async function change(plane: ControlPlane, id: string, body: object): Promise<SubscriptionBody> {
  return await ask(plane, "PATCH", `subscriptions/${id}`, body);
}

/** @returns the output of a handler, called by the ingress */
export async function call<Output>({ ingressUri }: ControlPlane, path: string): Promise<Output> {
  const response = await fetch(`${ingressUri}/${path}`, { method: "POST" });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return (await response.json()) as Output;
}
