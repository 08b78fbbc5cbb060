/** @see ui-files.mjs */
export function compressedFiles(): Promise<
  readonly { readonly name: string; readonly type: string; readonly gzip: Buffer }[]
>;
