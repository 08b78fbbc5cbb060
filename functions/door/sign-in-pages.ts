/** The pages that a browser shows at a sign-in: one that goes on to the web UI, and one that says how to sign in. */
import type { HttpResponse } from "../../shared/api/http/message.ts";
import { textResponse } from "../../shared/api/http/message.ts";

const POLICY = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
const HEADERS = { "content-security-policy": POLICY, "referrer-policy": "no-referrer", "cache-control": "no-store" };
const HTML = "text/html; charset=utf-8";
/** The part of the address of a page of the web UI behind its hash sign. */
const ROUTE = /^\/[\w/-]{0,200}$/;

/**
 * A page and not a redirect: the step to the web UI then begins on this origin, so that the browser sends the new cookie with it.
 * The key travels behind the hash sign, which browsers send to no server.
 * @param route the page of the web UI to show; any other text leads to its first page
 */
export function signedInPage(
  { key, route }: { readonly key: string; readonly route: string },
  headers: Readonly<Record<string, string>>,
): HttpResponse {
  const to = `../ui/#key=${key}${ROUTE.test(route) ? route : "/"}`;
  const body = `<meta http-equiv="refresh" content="0;url=${to}"><p>You are signed in. <a href="${to}">Go on to the web UI</a>`;
  return page(200, body, headers);
}

/** @param what the reason, a whole sentence */
export function noSessionPage(status: number, what: string): HttpResponse {
  const body = `<p>${what}<p>Run <code>stepwell ui</code> in a terminal: it opens the web UI in a browser that is signed in. Programs send the token as <code>authorization: Bearer &lt;token&gt;</code>.`;
  return page(status, body, {});
}

function page(status: number, body: string, headers: Readonly<Record<string, string>>): HttpResponse {
  const text = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Stepwell</title>${body}</html>\n`;
  const response = textResponse(status, text, HTML);
  return { ...response, headers: { ...response.headers, ...HEADERS, ...headers } };
}
