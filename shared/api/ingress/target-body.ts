/** Parses the JSON body by which an attach, an output or a lookup names its invocation. */
import { parseJsonFromOutside, TooManyElementsError } from "../../core/model/json-elements.ts";
import type { TargetBody } from "../wire/ingress.ts";
import { IngressRefusal } from "./ingress-refusal.ts";

/** A body names one invocation by six texts at most; unknown fields may come with them. */
const ELEMENTS_MAX = 1_000;

/**
 * The content type is ignored; unknown fields are ignored; null counts as absent.
 * @param asked the name of the body in the refusal, as clients expect it
 * @throws IngressRefusal 500, not 400, for an unreadable body, as existing clients expect
 */
export function parseTargetBody(body: Uint8Array, asked: "lookup" | "request"): TargetBody {
  try {
    return targetBody(parseJsonFromOutside(body, ELEMENTS_MAX));
  } catch (error) {
    const isExplained = error instanceof BodyError || error instanceof TooManyElementsError;
    const reason = isExplained ? error.message : "it is not JSON in UTF-8";
    throw new IngressRefusal(500, `cannot read body: invalid ${asked} body: ${reason}`);
  }
}

class BodyError extends Error {
  override name = "BodyError";
}

function targetBody(value: unknown): TargetBody {
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw new BodyError("it is not an object");
  const fields = value as Readonly<Record<string, unknown>>;
  switch (fields["target"]) {
    case "invocation":
      return { target: "invocation", invocationId: text(fields, "invocationId") };
    case "idempotentInvocation":
      return {
        target: "idempotentInvocation",
        service: text(fields, "service"),
        handler: text(fields, "handler"),
        idempotencyKey: text(fields, "idempotencyKey"),
        ...optional(fields, "key"),
        ...optional(fields, "scope"),
      };
    case "workflow":
      return {
        target: "workflow",
        workflowName: text(fields, "workflowName"),
        workflowKey: text(fields, "workflowKey"),
        ...optional(fields, "scope"),
      };
    default:
      throw new BodyError("its field 'target' is not one of 'invocation', 'idempotentInvocation' and 'workflow'");
  }
}

function text(fields: Readonly<Record<string, unknown>>, name: string): string {
  const value = fields[name];
  if (typeof value !== "string") throw new BodyError(`its field '${name}' is missing or not a string`);
  return value;
}

function optional<Name extends "key" | "scope">(
  fields: Readonly<Record<string, unknown>>,
  name: Name,
): { readonly [N in Name]?: string } {
  if (fields[name] === undefined || fields[name] === null) return {};
  return { [name]: text(fields, name) } as { readonly [N in Name]?: string };
}
