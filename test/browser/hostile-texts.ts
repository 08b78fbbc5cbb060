/** Texts that a hostile handler or caller might choose, and a check that no page took one for markup. */

export const HOSTILE_TEXTS: readonly string[] = [
  "<img src=x onerror=alert(1)>",
  "</script><script>alert(1)</script>",
  '"><svg onload=alert(1)>',
  "'-alert(1)-'",
  "javascript:alert(1)",
  "data:text/html,<script>alert(1)</script>",
  "</textarea></pre></title><iframe src=javascript:alert(1)>",
  "<style>*{display:none}</style><link rel=stylesheet href=//example.com/x.css>",
  "<meta http-equiv=refresh content=0;url=//example.com>",
  "<base href=//example.com/><form action=//example.com><button>go</button></form>",
  "{{constructor.constructor('alert(1)')()}}${alert(1)}",
  "__proto__",
  "a\u202eb\u2066c\u2069\u200bd\ufeff",
  "nul \u0000 bell \u0007 escape \u001b[31m",
  "line\nbreak\ttab\u2028separator",
  '=HYPERLINK("//example.com")',
  "a/b?c#d%2F%",
  "😀 ｆｕｌｌ 한국어 العربية",
  " ",
  "x".repeat(20_000),
];

/** Runs in the page. @returns the markup of each forbidden element, and a note if the page has a hidden character */
export const FORBIDDEN_IN_PAGE = `(() => {
  const roots = [document, ...[...document.querySelectorAll("*")].flatMap((one) => one.shadowRoot ?? [])];
  const all = roots.flatMap((root) => [...root.querySelectorAll("*")]);
  const isHandled = (one) => [...one.attributes].some(({ name }) => name.startsWith("on"));
  const leadsAway = (one) => {
    const target = one.getAttribute("href") ?? one.getAttribute("src") ?? one.getAttribute("action");
    if (target === null) return false;
    const { origin, protocol } = new URL(target, document.baseURI);
    return origin !== location.origin || !/^https?:$/.test(protocol);
  };
  const strange = all.filter((one) => isHandled(one) || leadsAway(one) || /^(IFRAME|OBJECT|EMBED|BASE)$/.test(one.tagName));
  const hidden = /[\\u202a-\\u202e\\u2066-\\u2069\\u200b\\u0000-\\u0008\\u001b]/.exec(document.body.innerText);
  return [...strange.map(({ outerHTML }) => outerHTML.slice(0, 200)), ...(hidden === null ? [] : ["hidden character"])];
})()`;
