/** The form that registers a deployment, and the request that it makes. */
import type { RegisterBody } from "../../shared/api/contract/deployments.ts";

export interface Pair {
  readonly name: string;
  readonly value: string;
}

export interface RegisterForm {
  readonly kind: "http" | "lambda";
  readonly uri: string;
  readonly useHttp11: boolean;
  readonly arn: string;
  readonly role: string;
  readonly headers: readonly Pair[];
  readonly metadata: readonly Pair[];
  readonly breaking: boolean;
  readonly force: boolean;
}

export const EMPTY_FORM: RegisterForm = {
  kind: "http",
  uri: "",
  useHttp11: false,
  arn: "",
  role: "",
  headers: [],
  metadata: [],
  breaking: false,
  force: false,
};

const FUNCTION_ARN = /^arn:[a-z-]+:lambda:[a-z0-9-]+:\d{12}:function:[\w-]+:[\w$-]+$/;
const PORT = /^\d{1,5}$/;

/** @returns what is missing, in words; undefined if the form can be sent */
export function missingIn({ kind, uri, arn, headers, metadata }: RegisterForm): string | undefined {
  if (kind === "http" && !/^https?:\/\/[^\s/]/i.test(addressIn(uri)))
    return "The address begins with http:// or https://.";
  if (kind === "lambda" && !FUNCTION_ARN.test(arn.trim())) {
    return "The ARN is that of a version or an alias: arn:aws:lambda:<region>:<account>:function:<name>:<version>.";
  }
  const isNameless = [...headers, ...metadata].some(({ name, value }) => name.trim() === "" && value !== "");
  return isNameless ? "Each value of a header or of the metadata needs a name." : undefined;
}

/** A text that is only a number stands for the port with that number on this machine. */
export function addressIn(text: string): string {
  const trimmed = text.trim();
  return PORT.test(trimmed) ? `http://localhost:${trimmed}` : trimmed;
}

export function registerBody(form: RegisterForm, isDryRun: boolean): RegisterBody {
  const role = form.role.trim();
  const address =
    form.kind === "http"
      ? { uri: addressIn(form.uri), use_http_11: form.useHttp11 }
      : { arn: form.arn.trim(), ...(role !== "" && { assume_role_arn: role }) };
  return {
    ...address,
    additional_headers: recordOf(form.headers),
    metadata: recordOf(form.metadata),
    breaking: form.breaking,
    force: form.force,
    dry_run: isDryRun,
  };
}

export function recordOf(pairs: readonly Pair[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    pairs.filter(({ name }) => name.trim() !== "").map(({ name, value }) => [name.trim(), value]),
  );
}
