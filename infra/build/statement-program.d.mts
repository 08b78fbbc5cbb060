/** @see statement-program.mjs */
export function statementProgram(): Promise<{ readonly STATEMENT_PROGRAM: string }>;
