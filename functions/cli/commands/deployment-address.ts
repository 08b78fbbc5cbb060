/** Parses how the command line names a deployment: a URI, a host, a port of this machine, or an ARN. */
import type { DeploymentAddressBody } from "../../../shared/api/contract/deployments.ts";
import { CommandFailure, EXIT_USAGE } from "../text/command-failure.ts";

/** @throws CommandFailure when the text is not an address */
export function deploymentAddress(written: string): { readonly uri: string } | { readonly arn: string } {
  if (written.startsWith("arn:")) return { arn: written };
  const local = /^\d{1,5}$/.test(written) ? `localhost:${written}` : written;
  const full = /^[a-z]+:\/\//i.test(local) ? local : `http://${local}`;
  if (!URL.canParse(full) || !/^https?:/i.test(full)) {
    throw new CommandFailure(`'${written}' is not an address of a deployment`, {
      exitCode: EXIT_USAGE,
      fix: "Write an address like http://localhost:9080, or the ARN of a function's version or alias.",
    });
  }
  return { uri: new URL(full).href };
}

export function addressText(body: { readonly uri: string } | { readonly arn: string }): string {
  return "arn" in body ? body.arn : body.uri;
}

/** The transport of the deployment. */
export function transportText(body: DeploymentAddressBody): string {
  return "arn" in body ? "Lambda" : body.http_version;
}

const HIDDEN = "********";

/** Header values are usually credentials, and terminal output ends up in logs and on screens. */
export function withHiddenHeaders<Body extends { readonly additional_headers?: Readonly<Record<string, string>> }>(
  body: Body,
): Body {
  if (body.additional_headers === undefined) return body;
  const hidden = Object.keys(body.additional_headers).map((name) => [name, HIDDEN] as const);
  return { ...body, additional_headers: Object.fromEntries(hidden) };
}
