/** Reads the services and handlers of a manifest, with their settings. */
import type { Handler, HandlerSettings, Service } from "../model/service.ts";
import type { HandlerType, ServiceType } from "../model/target.ts";
import { readInputRule, readOutputRule } from "./input-rule.ts";
import { unlike } from "./json-object.ts";
import type { JsonObject } from "./json-object.ts";
import { ManifestRuleError } from "./manifest-rule-error.ts";

const SERVICE_NAME = /^([a-zA-Z]|_[a-zA-Z0-9])[a-zA-Z0-9._-]*$/;
const HANDLER_NAME = /^([a-zA-Z]|_[a-zA-Z0-9])[a-zA-Z0-9_]*$/;
const SERVICE_TYPES = { SERVICE: "service", VIRTUAL_OBJECT: "object", WORKFLOW: "workflow" } as const;

/** The handler type for each service type and each `ty` of the manifest; a combination that is absent here is refused. */
const HANDLER_TYPES: Readonly<Record<ServiceType, Readonly<Record<string, HandlerType>>>> = {
  service: { none: "service", SHARED: "service" },
  object: { none: "exclusive", EXCLUSIVE: "exclusive", SHARED: "shared" },
  workflow: { none: "shared", SHARED: "shared", WORKFLOW: "workflow" },
};

/** @throws JsonShapeError, ManifestRuleError */
export function readServices(root: JsonObject): readonly Service[] {
  return unique(root.objects("services").map(readService), root.pathOf("services"), "service");
}

function readService(service: JsonObject): Service {
  const name = readName(service, SERVICE_NAME);
  const ty = service.oneOf("ty", ["SERVICE", "VIRTUAL_OBJECT", "WORKFLOW"]);
  if (ty === undefined) throw unlike(service.pathOf("ty"), undefined, "a service type");
  const type = SERVICE_TYPES[ty];
  const settings = readSettings(service);
  const handlers = service.objects("handlers").map((handler) => readHandler(handler, type, settings));
  return {
    name,
    type,
    handlers: unique(handlers, service.pathOf("handlers"), "handler"),
    ...readNotes(service),
    settings,
  };
}

function readHandler(handler: JsonObject, serviceType: ServiceType, ofService: HandlerSettings): Handler {
  const name = readName(handler, HANDLER_NAME);
  const ty = handler.oneOf("ty", ["WORKFLOW", "EXCLUSIVE", "SHARED"]);
  const type = HANDLER_TYPES[serviceType][ty ?? "none"];
  if (type === undefined) {
    throw new ManifestRuleError(handler.pathOf("ty"), `the ${ty} handler '${name}' does not fit the service's type`);
  }
  const settings = { ...readSettings(handler), ...readWorkflowRetention(handler, type) };
  if (type === "workflow" && settings.idempotencyRetentionMs !== undefined) {
    throw new ManifestRuleError(handler.pathOf("idempotencyRetention"), "the run handler of a workflow cannot set it");
  }
  if (ofService.private === true && settings.private === false) {
    throw new ManifestRuleError(handler.pathOf("ingressPrivate"), "a private service cannot have a public handler");
  }
  const input = handler.object("input");
  const output = handler.object("output");
  return {
    name,
    type,
    ...(input === undefined ? {} : { input: readInputRule(input) }),
    ...(output === undefined ? {} : { output: readOutputRule(output) }),
    ...readNotes(handler),
    settings,
  };
}

/** Names are parts of keys of items: with a longer one, no item of the service could be written. */
const NAME_MAX_CHARACTERS = 255;

function readName(owner: JsonObject, pattern: RegExp): string {
  const name = owner.text("name");
  if (name !== undefined && name.length > NAME_MAX_CHARACTERS)
    throw new ManifestRuleError(
      owner.pathOf("name"),
      `it has ${name.length} characters, and at most ${NAME_MAX_CHARACTERS} fit`,
    );
  if (name === undefined || !pattern.test(name)) {
    throw unlike(owner.pathOf("name"), name, `a name like ${pattern.source}`);
  }
  return name;
}

function readNotes(owner: JsonObject): Pick<Service, "documentation" | "metadata"> {
  return present({ documentation: owner.text("documentation"), metadata: owner.texts("metadata") });
}

function readWorkflowRetention(handler: JsonObject, type: HandlerType): Pick<HandlerSettings, "workflowRetentionMs"> {
  const workflowRetentionMs = handler.count("workflowCompletionRetention");
  if (workflowRetentionMs !== undefined && type !== "workflow") {
    throw new ManifestRuleError(
      handler.pathOf("workflowCompletionRetention"),
      "only the run handler of a workflow can set it",
    );
  }
  return present({ workflowRetentionMs });
}

function readSettings(owner: JsonObject): HandlerSettings {
  const maxAttempts = owner.count("retryPolicyMaxAttempts");
  const onMaxAttempts = owner.oneOf("retryPolicyOnMaxAttempts", ["PAUSE", "KILL"]);
  return present({
    inactivityTimeoutMs: owner.count("inactivityTimeout"),
    abortTimeoutMs: owner.count("abortTimeout"),
    journalRetentionMs: owner.count("journalRetention"),
    idempotencyRetentionMs: owner.count("idempotencyRetention"),
    lazyState: owner.flag("enableLazyState"),
    private: owner.flag("ingressPrivate"),
    retryInitialIntervalMs: owner.count("retryPolicyInitialInterval"),
    retryMaxIntervalMs: owner.count("retryPolicyMaxInterval"),
    retryFactor: owner.positive("retryPolicyExponentiationFactor"),
    // The first attempt counts and always takes place, so 0 means 1.
    retryMaxAttempts: maxAttempts === undefined ? undefined : Math.max(1, maxAttempts),
    retryOnMaxAttempts: onMaxAttempts === undefined ? undefined : onMaxAttempts === "KILL" ? "kill" : "pause",
  });
}

type Present<T> = { readonly [K in keyof T]?: Exclude<T[K], undefined> };

/** Removes undefined members. For an absent setting the level above decides. */
function present<T extends object>(members: T): Present<T> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Present<T>;
}

function unique<T extends { readonly name: string }>(named: readonly T[], path: string, what: string): readonly T[] {
  const names = new Set<string>();
  for (const [position, { name }] of named.entries()) {
    if (names.has(name))
      throw new ManifestRuleError(`${path}[${position}].name`, `a second ${what} is named '${name}'`);
    names.add(name);
  }
  return named;
}
