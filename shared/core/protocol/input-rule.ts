/** Reads a handler's input and output rules from the manifest. */
import type { InputRule, OutputRule } from "../model/service.ts";
import { JsonShapeError, unlike } from "./json-object.ts";
import type { JsonObject } from "./json-object.ts";
import { ManifestRuleError } from "./manifest-rule-error.ts";

/** Serializing a schema recurses into each level, so a deeper schema could exhaust the stack. */
const LEVELS_MAX = 128;

/** @throws JsonShapeError, ManifestRuleError */
export function readInputRule(input: JsonObject): InputRule {
  const contentType = input.text("contentType");
  if (contentType !== undefined && !isPattern(contentType)) {
    throw new ManifestRuleError(
      input.pathOf("contentType"),
      `'${contentType}' is no content type: expected "*/*", "type/*" or "type/subtype"`,
    );
  }
  return {
    required: input.flag("required") ?? false,
    ...(contentType === undefined ? {} : { contentType }),
    ...readSchema(input),
  };
}

/** @throws JsonShapeError, ManifestRuleError */
export function readOutputRule(output: JsonObject): OutputRule {
  const contentType = output.text("contentType");
  return {
    ...(contentType === undefined ? {} : { contentType }),
    setContentTypeIfEmpty: output.flag("setContentTypeIfEmpty") ?? false,
    ...readSchema(output),
  };
}

/** Stepwell displays a schema and validates no body against it. A schema must not refer to another document. */
function readSchema(owner: JsonObject): { readonly jsonSchema?: unknown } {
  const jsonSchema = owner.any("jsonSchema");
  if (jsonSchema === undefined) return {};
  const path = owner.pathOf("jsonSchema");
  if (typeof jsonSchema !== "boolean" && (typeof jsonSchema !== "object" || Array.isArray(jsonSchema))) {
    throw unlike(path, jsonSchema, "a JSON schema");
  }
  const parts: { readonly part: unknown; readonly level: number }[] = [{ part: jsonSchema, level: 0 }];
  for (let next = parts.pop(); next !== undefined; next = parts.pop()) {
    const { part, level } = next;
    if (typeof part !== "object" || part === null) continue;
    if (level > LEVELS_MAX) throw new JsonShapeError(path, `is more than ${LEVELS_MAX} levels deep`);
    for (const [name, member] of Object.entries(part)) {
      if (name === "$ref" && typeof member === "string" && !member.startsWith("#")) {
        throw new ManifestRuleError(path, `the schema refers to '${member}' outside of itself`);
      }
      parts.push({ part: member, level: level + 1 });
    }
  }
  return { jsonSchema };
}

function isPattern(contentType: string): boolean {
  const [type, subtype, ...more] = withoutParameters(contentType).split("/");
  if (type === undefined || type === "" || subtype === undefined || subtype === "" || more.length > 0) return false;
  return type !== "*" || subtype === "*";
}

/** The media type without its parameters. */
export function withoutParameters(contentType: string): string {
  return contentType.split(";", 1)[0]!.trim();
}
