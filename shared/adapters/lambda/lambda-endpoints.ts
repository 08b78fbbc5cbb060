/** Implements the endpoints port for functions on Lambda, called by qualified ARN; the answer comes in one piece. */
import { InvokeCommand, LambdaServiceException, type InvokeCommandOutput } from "@aws-sdk/client-lambda";
import { shownUri } from "../../core/model/deployment.ts";
import { LambdaArnError, parseLambdaArn } from "../../core/model/lambda-arn.ts";
import {
  TransportError,
  type Endpoints,
  type Exchange,
  type ExchangeRequest,
  type LambdaDestination,
  type ExchangeHead,
  type TransportReason,
} from "../../engine/ports/endpoints.ts";
import { answerOfPayload, eventPayload, type FunctionAnswer } from "./function-event.ts";
import { LambdaClients, type LambdaClientsOptions } from "./lambda-clients.ts";
import { UnpackedBody } from "./unpacked-body.ts";
import { zstd } from "./zstd.ts";

/**
 * An exchange is one synchronous call. The call starts when our side of the exchange ends; head and body of the answer
 * arrive together or not at all. The adapter never repeats a call.
 */
export class LambdaEndpoints implements Endpoints {
  readonly #clients: LambdaClients;
  readonly #handlerTag: string | undefined;

  constructor(options: LambdaClientsOptions = {}) {
    this.#clients = new LambdaClients(options);
    this.#handlerTag = options.handlerTag;
  }

  open(request: ExchangeRequest): Exchange {
    const { destination } = request;
    return new BufferedExchange(request, async (body, signal) => {
      if ("arn" in destination) return await this.#invoke(request, destination, body, signal);
      throw new TransportError("unreachable", `"${shownUri(destination.uri)}" is no function on Lambda`);
    });
  }

  /** Closes every connection; exchanges under way break. */
  close(): void {
    this.#clients.close();
  }

  async #invoke(
    request: ExchangeRequest,
    destination: LambdaDestination,
    body: Uint8Array,
    abortSignal: AbortSignal,
  ): Promise<FunctionAnswer> {
    const { arn, assumeRoleArn } = destination;
    const client = this.#clients.of(regionOf(arn), assumeRoleArn);
    const Payload = eventPayload(request, body, destination);
    const command = new InvokeCommand({ FunctionName: arn, InvocationType: "RequestResponse", Payload });
    const output = await client.send(command, { abortSignal }).catch((cause: unknown) => {
      throw failedCall(arn, cause, this.#handlerTag);
    });
    if (output.FunctionError !== undefined) throw failedFunction(arn, output);
    return answerOfPayload(output.Payload);
  }
}

function regionOf(arn: string): string {
  try {
    return parseLambdaArn(arn).region;
  } catch (cause) {
    if (!(cause instanceof LambdaArnError)) throw cause;
    throw new TransportError("unreachable", cause.message, { cause });
  }
}

/** @throws TransportError */
type Call = (body: Uint8Array, signal: AbortSignal) => Promise<FunctionAnswer>;

class BufferedExchange implements Exchange {
  readonly #call: Call;
  readonly #written: Uint8Array[];
  readonly #letGo = new AbortController();
  readonly #answer: Promise<FunctionAnswer>;
  #settle: (answer: Promise<FunctionAnswer>) => void = () => {};
  #called = false;
  #over = false;
  #given = false;
  #unpacked: UnpackedBody | undefined;

  constructor({ body, halfClose }: Pick<ExchangeRequest, "body" | "halfClose">, call: Call) {
    this.#call = call;
    this.#written = [...body];
    this.#answer = new Promise((resolve) => (this.#settle = resolve));
    // This handler prevents an unhandled rejection when the caller of an aborted exchange awaits nothing.
    this.#answer.then(
      () => (this.#over = true),
      () => (this.#over = true),
    );
    if (halfClose) this.halfClose();
  }

  async head(): Promise<ExchangeHead> {
    const { status, headers } = await this.#answer;
    return { status, headers, httpVersion: "http1.1" };
  }

  async next(): Promise<Uint8Array | undefined> {
    const { body, packing } = await this.#answer;
    if (this.#unpacked !== undefined) return await this.#unpacked.next();
    if (this.#given || body.length === 0) return undefined;
    this.#given = true;
    if (packing === undefined || zstd === undefined) return body;
    this.#unpacked = new UnpackedBody(body, zstd.unpacking());
    if (this.#letGo.signal.aborted) this.#unpacked.close();
    return await this.#unpacked.next();
  }

  write(bytes: Uint8Array): void {
    if (!this.#called) this.#written.push(bytes);
  }

  halfClose(): void {
    if (this.#called || this.#letGo.signal.aborted) return;
    this.#called = true;
    this.#settle(this.#run());
  }

  abort(): void {
    this.#unpacked?.close();
    if (this.#over || this.#letGo.signal.aborted) return;
    this.#letGo.abort();
    if (!this.#called) this.#settle(Promise.reject(aborted()));
  }

  async #run(): Promise<FunctionAnswer> {
    const { signal } = this.#letGo;
    const letGo = new Promise<never>((_, reject) => {
      signal.addEventListener("abort", () => reject(aborted()), { once: true });
    });
    return await Promise.race([this.#call(Buffer.concat(this.#written), signal), letGo]);
  }
}

function aborted(): TransportError {
  return new TransportError("aborted", "the exchange was aborted");
}

/** The role that a refusal names: `arn:aws:sts::111122223333:assumed-role/<role>/<session>`. */
const REFUSED_ROLE = /arn:(aws[\w-]*):sts::(\d{12}):assumed-role\/([\w+=,.@-]+)\//;
/** AWS names the kind of policy that decided, if the caller may know. */
const DENYING = /explicit deny in an? ([a-z -]{1,40}?policy|permissions boundary)/i;
const NOT_ALLOWING = /because no ([a-z -]{1,40}?policy|permissions boundary) allows/i;
/** Kinds of policies that a permission on the function does not outweigh. */
const ABOVE = /service control|resource control|boundary|session|endpoint/i;

/** The remedies for errors of Lambda that IAM does not cause, by name. */
const OTHER_REMEDIES: Readonly<Record<string, (arn: string) => string>> = {
  KMSAccessDeniedException: () =>
    "The function's own role may not use the KMS key of its environment: allow it kms:Decrypt, in the key's policy too. ",
  KMSDisabledException: () => "The KMS key of the function's environment is disabled: enable it. ",
  KMSInvalidStateException: () => "The KMS key of the function's environment is in no usable state: restore it. ",
  KMSNotFoundException: () =>
    "The KMS key of the function's environment does not exist: give the function another one. ",
  EC2AccessDeniedException: () =>
    "The function's own role may not create network interfaces: give it AWSLambdaVPCAccessExecutionRole. ",
  ResourceNotFoundException: (arn) =>
    `The function, or its ${qualifierWords(arn)}, does not exist in the account and the Region of the ARN. `,
};

/**
 * @param arn the called ARN
 * @param name the name of AWS's error
 * @param handlerTag the value of the tag `stepwell` that permits calls; undefined if a list of functions permits them
 * @returns sentences that end with a space; empty for errors without a remedy
 */
function remedyOf(arn: string, name: string, message: string, handlerTag: string | undefined): string {
  const [, partition, account, role] = REFUSED_ROLE.exec(message) ?? [];
  const principal =
    role === undefined ? "<role of the control plane>" : `arn:${partition}:iam::${account}:role/${role}`;
  // STS names its refusals differently from Lambda.
  if (name === "AccessDenied" && message.includes("sts:AssumeRole")) {
    return `sts:AssumeRole is missing. Name the role in assumableRoleArns of the control plane, and let it trust ${principal}. `;
  }
  if (name !== "AccessDeniedException") return OTHER_REMEDIES[name]?.(arn) ?? "";
  const deciding = DENYING.exec(message)?.[1] ?? NOT_ALLOWING.exec(message)?.[1];
  if (deciding !== undefined && (DENYING.test(message) || ABOVE.test(deciding))) {
    const verb = DENYING.test(message) ? "denies" : "does not allow";
    return `${/^[aeiou]/i.test(deciding) ? "An" : "A"} ${deciding} ${verb} lambda:InvokeFunction for ${principal}, and no permission on the function outweighs that: change the ${deciding}. `;
  }
  return `lambda:InvokeFunction is missing. ${grantWords(arn, principal, account, handlerTag)}${otherCauses(arn, principal, account)} `;
}

function grantWords(
  arn: string,
  principal: string,
  account: string | undefined,
  handlerTag: string | undefined,
): string {
  const grant = `aws lambda add-permission --function-name ${arn} --statement-id stepwell --action lambda:InvokeFunction --principal ${principal}`;
  if (isElsewhere(arn, account))
    return `The function is in another account, so both sides must allow the call. On the function, by: ${grant} -- and on ${principal}: name the function in handlerArns of the control plane.`;
  if (handlerTag === undefined)
    return `Grant it by: ${grant} -- or name the function in handlerArns of the control plane.`;
  const [untagged] = /^(?:[^:]*:){6}[^:]*/.exec(arn) ?? [arn];
  return `Grant it by: ${grant} -- or, in the same account and Region, by: aws lambda tag-resource --resource ${untagged} --tags stepwell=${handlerTag}.`;
}

/** The other policies that may refuse the call although the permission exists. */
function otherCauses(arn: string, principal: string, account: string | undefined): string {
  const causes = [
    `a permission on another qualifier: this call needs one on the ${qualifierWords(arn)}`,
    `the policy of the role ${principal.split("/").at(-1)}${isElsewhere(arn, account) ? "" : " (handlerArns or the tag)"}`,
    "a permissions boundary or a session policy of that role",
    "a service control policy of the account",
    "the role in assume_role_arn of the deployment, if it has one",
  ];
  return ` If it is there already, look at: ${causes.join("; ")}.`;
}

/** True for a function in another account than the refused role. */
function isElsewhere(arn: string, account: string | undefined): boolean {
  return account !== undefined && arn.split(":")[4] !== account;
}

function qualifierWords(arn: string): string {
  const qualifier = arn.split(":")[7];
  if (qualifier === undefined) return "function without a qualifier";
  return /^\d+$/.test(qualifier) ? `version ${qualifier}` : `alias ${qualifier}`;
}

/** Maps failures of Lambda or of the function to the errors of the endpoints port. */
const REASONS: Readonly<Record<string, TransportReason>> = {
  TooManyRequestsException: "throttled",
  ThrottlingException: "throttled",
  EC2ThrottledException: "throttled",
  ENILimitReachedException: "throttled",
  RequestTooLargeException: "too-large",
  RequestEntityTooLargeException: "too-large",
};
const STATUS_THROTTLED = 429;
const STATUS_TOO_LARGE = 413;
const RESPONSE_TOO_LARGE = /ResponseSizeTooLarge|Response payload size .{0,100}exceeded/i;
const QUOTE_MAX_CHARACTERS = 1_000;
/** A character has four bytes at most. */
const QUOTE_MAX_BYTES = 4 * QUOTE_MAX_CHARACTERS;

/**
 * The error for a failed call. After a failed call the effects of the function are unknown.
 * @param handlerTag the value of the tag `stepwell` that permits calls; undefined if a list of functions permits them
 */
function failedCall(arn: string, cause: unknown, handlerTag?: string): TransportError {
  const { name, message } = cause instanceof Error ? cause : new Error(String(cause));
  // The remedy comes first, because a failed attempt keeps only the start of its message.
  const text = `${remedyOf(arn, name, message, handlerTag)}Lambda did not serve the call of '${arn}': ${name}: ${message}`;
  if (!(cause instanceof LambdaServiceException)) {
    const reason = name === "TimeoutError" ? "broken" : "unreachable";
    return new TransportError(reason, text, { cause });
  }
  const status = cause.$metadata.httpStatusCode;
  const reason =
    REASONS[name] ??
    (status === STATUS_THROTTLED ? "throttled" : status === STATUS_TOO_LARGE ? "too-large" : "unreachable");
  return new TransportError(reason, text, { cause });
}

/** The error for a function that ended with an error: it threw, exceeded its time or memory, or returned too much. */
function failedFunction(arn: string, { FunctionError, Payload }: InvokeCommandOutput): TransportError {
  const text = new TextDecoder().decode(Payload?.subarray(0, QUOTE_MAX_BYTES)).slice(0, QUOTE_MAX_CHARACTERS);
  const reason = RESPONSE_TOO_LARGE.test(text) ? "too-large" : "broken";
  return new TransportError(reason, `the function '${arn}' failed (${FunctionError}): ${text}`);
}
