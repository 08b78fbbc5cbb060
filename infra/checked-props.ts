/** Checks the stack's properties during synthesis, so that a mistyped value is found before the deployment. */
import { Token } from "aws-cdk-lib";
import type { IKey } from "aws-cdk-lib/aws-kms";
import { settingsNamed } from "../shared/config/setting-names.ts";
import { nearestWord } from "../shared/config/nearest-word.ts";
import type { Setting } from "../shared/config/setting-kinds.ts";
import { SETTING_PATHS, SETTINGS, type SettingPath } from "../shared/config/settings-table.ts";
import type { IngressAuth, IngressCors, IngressThrottle } from "./apis.ts";
import type { ReservedConcurrency } from "./lambda/functions.ts";
import { type KafkaClusterProps, checkKafkaClusters } from "./lambda/kafka-clusters.ts";
import type { NetworkProps } from "./lambda/network.ts";
import { isOwned, OWNED_SETTINGS } from "./lambda/owned-settings.ts";
import type { AnyTable } from "./resources/table.ts";

export interface CheckedProps extends NetworkProps {
  readonly settings?: Partial<Readonly<Record<SettingPath, string>>>;
  readonly environmentName?: string;
  readonly signingKey?: number;
  readonly ingressAuth?: IngressAuth;
  readonly ingressThrottle?: IngressThrottle;
  readonly ingressCors?: IngressCors;
  readonly sweeperMemoryMb?: number;
  readonly reservedConcurrency?: ReservedConcurrency;
  readonly kafkaClusters?: readonly KafkaClusterProps[];
  readonly encryptionKey?: IKey;
  /** An existing table, which the stack does not encrypt. */
  readonly table?: AnyTable;
}

/** Properties that apply only in a VPC. */
const OF_A_NETWORK = ["vpcSubnets", "securityGroups"] as const;
/** Below the default memory a function could not load the largest invocation; the maximum is Lambda's. */
const MEMORY_MIN_MB = 512;
const MEMORY_MAX_MB = 10_240;
/**
 * The name becomes part of parameter names and of a schedule group's name. AWS allows 64 characters for the group's name, and
 * six of them are its suffix.
 */
const ENVIRONMENT_NAME = /^[0-9A-Za-z_.-]{1,58}$/;
/**
 * The functions that may reserve concurrency. Workers may not, because their event source already limits them: a reservation
 * below that limit would throttle the workers until messages reach their receive limit.
 */
const RESERVING: readonly string[] = ["ingress", "admin", "sweeper"];
const ORIGIN = /^(?:\*|[a-z][a-z0-9+.-]*:\/\/[^/?#\s]+)$/;

/**
 * Values that are known only at deployment pass unchecked.
 * @param region the region of the stack
 * @throws Error with the property, the given value and the expected form
 */
export function checkProps(props: CheckedProps, region: string): void {
  const { settings = {}, environmentName, signingKey = 1, ingressAuth, ingressThrottle, encryptionKey, table } = props;
  const { sweeperMemoryMb = MEMORY_MIN_MB } = props;
  for (const [path, raw] of Object.entries(settings)) checkSetting(path, raw);
  if (!isKnownLater(environmentName) && !ENVIRONMENT_NAME.test(environmentName)) {
    refuse("environmentName", environmentName, "1 to 58 letters, digits, hyphens, underscores and dots");
  }
  checkWhole("signingKey", signingKey);
  if (!Token.isUnresolved(sweeperMemoryMb) && !(sweeperMemoryMb >= MEMORY_MIN_MB && sweeperMemoryMb <= MEMORY_MAX_MB)) {
    refuse("sweeperMemoryMb", sweeperMemoryMb, `a number from ${MEMORY_MIN_MB} to ${MEMORY_MAX_MB}`);
  }
  if (ingressThrottle !== undefined) {
    const { ratePerS, burst } = ingressThrottle;
    checkWhole("ingressThrottle: ratePerS", ratePerS);
    checkWhole("ingressThrottle: burst", burst);
  }
  for (const [name, count] of Object.entries(props.reservedConcurrency ?? {})) {
    if (!RESERVING.includes(name)) refuse("reservedConcurrency", name, `one of ${RESERVING.join(", ")}`);
    if (count !== undefined) checkWhole(`reservedConcurrency: ${name}`, count);
  }
  checkKafkaClusters(props.kafkaClusters ?? []);
  for (const name of OF_A_NETWORK) {
    if (props[name] !== undefined && props.vpc === undefined)
      throw new Error(`${name}: it applies only together with vpc`);
  }
  if (props.securityGroups?.length === 0) refuse("securityGroups", [], "a list of one group or more");
  if (props.ingressCors !== undefined) checkOrigins(props.ingressCors.origins);
  if (typeof ingressAuth === "string" && ingressAuth !== "open" && ingressAuth !== "iam") {
    refuse("ingressAuth", ingressAuth, '"open", "iam" or { jwt: { issuer, audiences } }');
  }
  // The gateway treats an empty list as no requirement, and accepts every token.
  if (typeof ingressAuth === "object" && ingressAuth.jwt.scopes?.length === 0) {
    refuse("ingressAuth: scopes", ingressAuth.jwt.scopes, "one scope or more; leave it out to require none");
  }
  if (encryptionKey !== undefined && table === undefined && Token.isUnresolved(region)) {
    throw new Error("encryptionKey: a table with a key of one's own needs a stack with an explicit Region (env)");
  }
}

function checkSetting(path: string, raw: string): void {
  const named = settingsNamed(path);
  if (named.length === 0) {
    const nearest = nearestWord(path, SETTING_PATHS);
    throw new Error(
      `settings: there is no setting ${path}${nearest === undefined ? "" : `; did you mean ${nearest}?`}`,
    );
  }
  for (const { path: known, translate } of named) {
    if (isOwned(known)) {
      const property = OWNED_SETTINGS[known];
      throw new Error(
        `settings: ${path} is decided by the stack; ${property === undefined ? "it cannot be set" : `set ${property} instead`}`,
      );
    }
    const setting: Setting<unknown> = SETTINGS[known];
    if (isKnownLater(raw) || setting.read(translate === undefined ? raw : translate(raw)) !== undefined) continue;
    refuse(`settings: ${path}`, setting.mayBeSecret === true ? undefined : raw, setting.expected);
  }
}

/** A browser compares whole strings, so an origin with a path or a trailing slash matches no page. */
function checkOrigins(origins: readonly string[] | undefined): void {
  const expected = '"*" or origins without a path, such as "https://shop.example.com"';
  if (origins === undefined || origins.length === 0) refuse("ingressCors: origins", origins, expected);
  for (const origin of origins) {
    if (!Token.isUnresolved(origin) && !ORIGIN.test(origin)) refuse("ingressCors: origins", origin, expected);
  }
}

function checkWhole(name: string, given: number): void {
  if (Token.isUnresolved(given) || (Number.isSafeInteger(given) && given >= 1)) return;
  refuse(name, given, "a whole number, 1 or more");
}

function isKnownLater(value: unknown): value is undefined {
  return value === undefined || Token.isUnresolved(value);
}

/** @param given the refused value; the message repeats the value unless it is undefined */
function refuse(name: string, given: unknown, expected: string): never {
  throw new Error(`${name}: ${given === undefined ? "what was given" : JSON.stringify(given)} is not ${expected}`);
}
