/** @see chromium.mjs */
export const CHROMIUM_FLAGS: readonly string[];
export function chromiumPath(): string;
export function installPackages(folder: string, name: string): void;
