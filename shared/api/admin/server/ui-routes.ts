/** The routes of the web UI: one page, and the files that the page names. */
import { emptyResponse, type HttpRequest, type HttpResponse } from "../../http/message.ts";
import { HttpProblem } from "../../http/problem.ts";
import { type AdminRequest, route, pathParam, type UiFile } from "../requests/admin-request.ts";

const PAGE = "index.html";

/**
 * The page may run only its own scripts and reach only its own origin. Trusted types let the browser itself refuse any text
 * that would become markup.
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join("; ");

const PAGE_HEADERS = {
  "content-security-policy": POLICY,
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cache-control": "no-cache",
};
/** The names of all other files contain a hash of their contents. */
const FILE_HEADERS = { "cache-control": "public, max-age=31536000, immutable" };

export const UI_ROUTES = [
  route("GET", "/", toPage),
  // A proxy in front may drop the slash at the end: a redirect to the address with the slash would have no end.
  route("GET", "/ui", async (asked) => await showFile(asked, PAGE, PAGE_HEADERS)),
  route("GET", "/ui/", async (asked) => await showFile(asked, PAGE, PAGE_HEADERS)),
  route("GET", "/ui/:file", async (asked) => await showFileOrPage(asked)),
  route("GET", "/ui/:page/:id", toDeepPage),
];

/** The pages that other tools link to by path; the UI itself has them behind the `#`. */
const LINKED_PAGES: readonly string[] = ["invocations", "deployments", "services"];

async function showFileOrPage(asked: AdminRequest): Promise<HttpResponse> {
  const name = pathParam(asked, "file");
  if (asked.deps.uiFiles === undefined || !LINKED_PAGES.includes(name)) return await showFile(asked, name);
  return emptyResponse(302, { location: `./#/${name}` });
}

/** The redirect is relative, so that it holds behind a proxy with a prefix; the id stays escaped as it came. */
async function toDeepPage(asked: AdminRequest): Promise<HttpResponse> {
  const page = pathParam(asked, "page");
  if (asked.deps.uiFiles === undefined || !LINKED_PAGES.includes(page)) return await showFile(asked, page);
  return emptyResponse(302, { location: `../#/${page}/${asked.params["id"] ?? ""}` });
}

/** The redirect is relative, so that it holds behind a proxy with a prefix. */
async function toPage(): Promise<HttpResponse> {
  return emptyResponse(308, { location: "ui/" });
}

async function showFile({ deps, request }: AdminRequest, name: string, headers = FILE_HEADERS): Promise<HttpResponse> {
  if (deps.uiFiles === undefined) throw new HttpProblem(404, "admin.disable-web-ui is set, so there is no web UI here");
  const file = deps.uiFiles.get(name);
  if (file === undefined) throw new HttpProblem(404, `The web UI has no file '${name.slice(0, 100)}'; it is at /ui/`);
  return await fileResponse(request, file, headers);
}

async function fileResponse(
  request: HttpRequest,
  { type, gzip }: UiFile,
  headers: Readonly<Record<string, string>>,
): Promise<HttpResponse> {
  const common = { "content-type": type, vary: "accept-encoding", ...headers };
  if (acceptsGzip(request)) return { status: 200, headers: { ...common, "content-encoding": "gzip" }, body: gzip };
  return { status: 200, headers: common, body: await unpacked(gzip) };
}

function acceptsGzip({ headers }: HttpRequest): boolean {
  const accepted = (headers["accept-encoding"] ?? "").toLowerCase().split(",");
  const weights = accepted.map((coding) => /^gzip(?:;q=([\d.]{1,5}))?$/.exec(coding.replaceAll(" ", "")));
  return weights.some((match) => match !== null && Number(match[1] ?? 1) > 0);
}

async function unpacked(gzip: Uint8Array): Promise<Uint8Array> {
  const plain = new Blob([gzip as Uint8Array<ArrayBuffer>]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(plain).arrayBuffer());
}
