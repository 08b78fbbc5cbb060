/** Writes the command that calls a handler of a deployment, ready to be pasted into a terminal. */
import type { RegisteredUp } from "../../shared/engine/register/register-when-up.ts";

type Deployment = RegisteredUp["deployment"];
type Service = Deployment["services"][number];
type Handler = Service["handlers"][number];

/** Names that a shell and an address take as they are; other names get no command. */
const PLAIN_NAME = /^[\w.-]{1,200}$/;
const JSON_TYPE = /^(?:application|\*)\/(?:json|\*)$/;
const SAMPLE_TEXT = "Ada";
const SAMPLE_KEY = "my-key";
const SAMPLE_DEPTH_MAX = 3;
const SAMPLE_MEMBERS_MAX = 10;

/**
 * @param ingressUrl the address of the ingress, which ends with a slash
 * @returns undefined if the deployment has no public handler with a plain name
 */
export function firstCall(ingressUrl: string, { services }: Deployment): string | undefined {
  for (const service of services.filter(({ name, settings }) => PLAIN_NAME.test(name) && settings.private !== true)) {
    const handlers = service.handlers.filter(
      ({ name, settings }) => PLAIN_NAME.test(name) && settings.private !== true,
    );
    // A shared handler mostly reads what another handler of the key wrote before.
    const handler = handlers.find(({ type }) => type !== "shared") ?? handlers[0];
    if (handler !== undefined) return commandOf(ingressUrl, service, handler);
  }
  return undefined;
}

function commandOf(ingressUrl: string, { name, type }: Service, handler: Handler): string {
  const key = type === "service" ? "" : `${SAMPLE_KEY}/`;
  const address = `${ingressUrl}${name}/${key}${handler.name}`;
  const { input } = handler;
  if (input === undefined || !JSON_TYPE.test(input.contentType ?? "application/json")) return `curl -X POST ${address}`;
  const body = JSON.stringify(input.jsonSchema === undefined ? SAMPLE_TEXT : sampleOf(input.jsonSchema, 0));
  return `curl ${address} -H 'content-type: application/json' -d '${body}'`;
}

/** A value of the schema's type with the required members; the handler may still refuse it. */
function sampleOf(schema: unknown, depth: number): unknown {
  const { type, required, properties }: Readonly<Record<string, unknown>> = isRecord(schema) ? schema : {};
  switch (Array.isArray(type) ? (type as readonly unknown[])[0] : type) {
    case "string":
      return SAMPLE_TEXT;
    case "number":
    case "integer":
      return 1;
    case "boolean":
      return true;
    case "array":
      return [];
    case "null":
      return null;
    default:
      return depth < SAMPLE_DEPTH_MAX ? membersOf(required, properties, depth) : {};
  }
}

function membersOf(required: unknown, properties: unknown, depth: number): Readonly<Record<string, unknown>> {
  const names = Array.isArray(required) ? (required as readonly unknown[]).slice(0, SAMPLE_MEMBERS_MAX) : [];
  const plain = names.filter((name): name is string => typeof name === "string" && PLAIN_NAME.test(name));
  const known = isRecord(properties) ? properties : {};
  return Object.fromEntries(plain.map((name) => [name, sampleOf(known[name], depth + 1)]));
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
