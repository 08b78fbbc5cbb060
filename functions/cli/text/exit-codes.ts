/** The exit codes of the command; the help and the documentation are generated from this table. */

export const EXIT_OK = 0;
export const EXIT_REFUSED = 1;
export const EXIT_USAGE = 2;
export const EXIT_NO_SERVER = 3;
export const EXIT_ABORTED = 4;
export const EXIT_INVOCATION_FAILED = 5;
/** The code that shells report for a process that SIGINT ends. */
export const EXIT_INTERRUPTED = 130;

export interface ExitCode {
  readonly code: number;
  readonly meaning: string;
}

export const EXIT_CODES: readonly ExitCode[] = [
  { code: EXIT_OK, meaning: "the command succeeded" },
  { code: EXIT_REFUSED, meaning: "the server refused the request, or the command failed" },
  { code: EXIT_USAGE, meaning: "the command line is not valid" },
  {
    code: EXIT_NO_SERVER,
    meaning: "no server: it cannot be reached, does not answer in time, or is another one; or `dev` could not start",
  },
  { code: EXIT_ABORTED, meaning: "not confirmed: nothing was changed" },
  { code: EXIT_INVOCATION_FAILED, meaning: "`call` or `attach`: the invocation ended with a failure" },
  {
    code: EXIT_INTERRUPTED,
    meaning: "`call` or `attach`: interrupted by Ctrl-C, which ends the waiting and not the invocation",
  },
];
