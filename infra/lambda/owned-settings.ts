/**
 * The settings that the stack itself determines. Users cannot set them directly, but some settings follow from a
 * property of the construct.
 */
import type { SettingPath } from "../../shared/config/settings-table.ts";

/** The property of `Stepwell` that determines each setting; undefined if no property does. */
export const OWNED_SETTINGS = {
  "aws.table": "table",
  "aws.queue-url": undefined,
  "aws.queue-arn": undefined,
  "aws.slow-queue-url": undefined,
  "aws.dead-letter-queue-url": undefined,
  "aws.schedule-group": "environmentName",
  "aws.schedule-role-arn": undefined,
  "aws.parameters": "environmentName",
  "aws.signing-key": "signingKey",
  "aws.handler-tag": "handlerArns",
  "aws.topics-function": "kafkaClusters",
  "ingress.kafka-clusters": "kafkaClusters",
  "ingress.bind-to-caller": "ingressBoundToCallers",
} as const satisfies Partial<Readonly<Record<SettingPath, string | undefined>>>;

export type OwnedSetting = keyof typeof OWNED_SETTINGS;

export function isOwned(path: SettingPath): path is OwnedSetting {
  return Object.hasOwn(OWNED_SETTINGS, path);
}
