/** The exit codes of `npm run try`; its help is generated from this table. */

export const EXIT_OK = 0;
export const EXIT_FAILED = 1;
export const EXIT_USAGE = 2;
export const EXIT_NOT_TRIED = 3;
export const EXIT_LEFT = 5;
export const EXIT_INTERRUPTED = 130;

export const EXIT_CODES: readonly { readonly code: number; readonly meaning: string }[] = [
  { code: EXIT_OK, meaning: "every check passed, and the stack is gone, or kept as asked" },
  { code: EXIT_FAILED, meaning: "a check failed; the stack is gone, or kept as asked" },
  { code: EXIT_USAGE, meaning: "the command line is not valid, or the version of Node is not supported" },
  { code: EXIT_NOT_TRIED, meaning: "it could not be tried: no credentials, no bootstrap, not deployed" },
  { code: 4, meaning: "not confirmed: nothing was changed" },
  { code: EXIT_LEFT, meaning: "something is left in the account: `npm run try -- --destroy`" },
  { code: EXIT_INTERRUPTED, meaning: "interrupted; the stack is gone, or kept as asked" },
];
