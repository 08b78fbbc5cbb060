/** Tests a call as a line of curl and lines of the typed client, its answer, the form of registration, and service options. */
import { expect, test } from "vitest";
import type { HandlerBody, ServiceBody } from "../../../shared/api/contract/services.ts";
import { clientLines, curlLine, firstText, meaningOf, type CallPlan } from "../../../ui/model/call-lines.ts";
import { EMPTY_FORM, missingIn, registerBody } from "../../../ui/model/register-form.ts";
import { changeOf, durationProblem, editsOf, effectivePolicy, policyText } from "../../../ui/model/service-options.ts";

const plan = (changes: Partial<CallPlan>): CallPlan => ({
  service: "Counter",
  serviceType: "VirtualObject",
  handler: "add",
  runsWorkflow: false,
  key: "a/b",
  isSend: false,
  contentType: "application/json",
  body: new TextEncoder().encode("3"),
  ...changes,
});

test("a line of curl escapes the key, and quotes the characters of a shell", () => {
  expect(curlLine(plan({}), "http://localhost:8080")).toBe(
    "curl http://localhost:8080/Counter/a%2Fb/add \\\n  -H 'content-type: application/json' \\\n  -d 3",
  );
  const body = new TextEncoder().encode(`"it's $(rm)"`);
  expect(curlLine(plan({ body, idempotencyKey: "a b" }), "http://x/")).toContain(`-d '"it'\\''s $(rm)"'`);
  expect(curlLine(plan({ body: new TextEncoder().encode("@/etc/passwd") }), "http://x/")).toContain(
    "--data-binary @payload.bin",
  );
});

test("a send has its delay in both lines", () => {
  const send = plan({ isSend: true, delay: "10s", delayMs: 10_000 });
  expect(curlLine(send, "http://x/")).toContain("/Counter/a%2Fb/add/send?delay=10s");
  expect(clientLines(send, "http://x/")).toContain(
    '.objectSendClient<Counter>({ name: "Counter" }, "a/b")\n  .add(3, clients.rpc.sendOpts({ delay: { milliseconds: 10000 } }));',
  );
});

test("a workflow is submitted and attached to", () => {
  const run = plan({ serviceType: "Workflow", runsWorkflow: true, handler: "run", service: "Sign-up" });
  const lines = clientLines(run, "http://x/");
  expect(lines).toContain('ingress.workflowClient<any>({ name: "Sign-up" }, "a/b")');
  expect(lines).toContain("await workflow.workflowSubmit(3);");
});

test("a call in a scope names it in both lines, and its limit key", () => {
  const scoped = plan({ scope: "t1", limitKey: "a/b", isSend: true });
  expect(curlLine(scoped, "http://x/")).toContain("http://x/restate/scope/t1/send/Counter/a%2Fb/add ");
  expect(curlLine(scoped, "http://x/")).toContain("-H 'x-restate-limit-key: a/b'");
  expect(clientLines(scoped, "http://x/")).toContain('clients.connect({ url: "http://x/" }).scope("t1");');
  expect(clientLines(scoped, "http://x/")).toContain('clients.rpc.sendOpts({ limitKey: "a/b" })');
  const run = plan({ serviceType: "Workflow", runsWorkflow: true, handler: "run", service: "Sign-up", scope: "t1" });
  expect(clientLines(run, "http://x/")).toContain('await clients.connect({ url: "http://x/" }).result(sent);');
});

test("the first payload is a text for a JSON handler without a schema, and empty for a handler that takes bytes", () => {
  const handler = { name: "h", public: true, output_description: "", retry_policy: { max_attempts: null } };
  expect(firstText({ ...handler, input_description: "application/json" } as HandlerBody)).toBe('"Ada"');
  expect(firstText({ ...handler, input_description: "application/octet-stream" } as HandlerBody)).toBe("");
});

test("the meaning of an answer follows from its status and its source", () => {
  expect(meaningOf(409, "invocation", true).words).toBe("The invocation failed");
  expect(meaningOf(409, "invocation", true, true).words).toMatch(/^The workflow of this key was run before, or/);
  expect(meaningOf(410, "invocation", true, true).words).toBe("The invocation failed");
  expect(meaningOf(504, "ingress", true).tone).toBe("waiting");
  expect(meaningOf(404, "ingress", false).words).toBe("The call was refused");
  expect(meaningOf(202, undefined, true).tone).toBe("waiting");
});

test("an incomplete registration names what is missing, and a port alone means an address of this machine", () => {
  expect(missingIn(EMPTY_FORM)).toContain("http://");
  expect(missingIn({ ...EMPTY_FORM, uri: "9080" })).toBeUndefined();
  expect(
    registerBody(
      {
        ...EMPTY_FORM,
        uri: "9080",
        headers: [
          { name: " a ", value: "b" },
          { name: "", value: "" },
        ],
      },
      true,
    ),
  ).toMatchObject({
    uri: "http://localhost:9080",
    additional_headers: { a: "b" },
    dry_run: true,
  });
  expect(
    missingIn({ ...EMPTY_FORM, kind: "lambda", arn: "arn:aws:lambda:eu-west-1:123456789012:function:f" }),
  ).toContain("version or an alias");
});

const service = {
  name: "S",
  ty: "Service",
  handlers: [],
  public: true,
  idempotency_retention: "1d",
  journal_retention: "1d",
  inactivity_timeout: "1m",
  abort_timeout: "10m",
  retry_policy: {
    initial_interval: "500ms",
    exponentiation_factor: 2,
    max_attempts: 70,
    max_interval: "1m",
    on_max_attempts: "Pause",
  },
} as unknown as ServiceBody;

test("only options that differ are sent, and the same duration in other words does not differ", () => {
  const edits = editsOf(service);
  expect(changeOf(service, edits)).toBeUndefined();
  expect(changeOf(service, { ...edits, durations: { ...edits.durations, journal_retention: "24h" } })).toBeUndefined();
  const changed = { isPublic: false, durations: { ...edits.durations, abort_timeout: "5m" } };
  expect(changeOf(service, changed)).toEqual({ public: false, abort_timeout: "5m" });
  expect(durationProblem("1x")).toBeDefined();
});

test("the retry policy of a handler takes from the service each member that the handler does not set", () => {
  const handler = { retry_policy: { max_attempts: null, initial_interval: "1h" } } as HandlerBody;
  expect(policyText(effectivePolicy(service, handler))).toBe("1h, × 2 up to 1m; 70 attempts, then paused");
});
