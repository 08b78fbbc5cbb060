/** @see bundle.mjs */
export function bundleFunctions(
  entries: Readonly<Record<string, string>>,
  folder: string,
  options?: { readonly quiet?: boolean },
): Promise<void>;
