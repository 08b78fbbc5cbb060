/** @see built-in-texts.mjs */
export function builtInTexts(): Promise<{ readonly STATEMENT_PROGRAM: string; readonly UI_FILES: string }>;
