/** The exit codes of the command; the help and the documentation are generated from this table. */

export const EXIT_OK = 0;
export const EXIT_REFUSED = 1;
export const EXIT_USAGE = 2;
export const EXIT_NO_SERVER = 3;
export const EXIT_ABORTED = 4;

export interface ExitCode {
  readonly code: number;
  readonly meaning: string;
}

export const EXIT_CODES: readonly ExitCode[] = [
  { code: EXIT_OK, meaning: "all went well" },
  { code: EXIT_REFUSED, meaning: "the server refused, or something failed" },
  { code: EXIT_USAGE, meaning: "the command line is not one that this command knows" },
  { code: EXIT_NO_SERVER, meaning: "no server: it cannot be reached, or `dev` cannot start it" },
  { code: EXIT_ABORTED, meaning: "not confirmed: nothing was changed" },
];
