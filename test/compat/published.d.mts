/** @see published.mjs */

export function publishedPage(): string;
