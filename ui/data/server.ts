/** The server behind the page: its version, and whether each of its reads has a price. */
import { computed, signal } from "@preact/signals";
import type { VersionBody } from "../../shared/api/wire/admin.ts";
import { ask } from "./api.ts";

export const server = signal<VersionBody | undefined>(undefined);

/** Functions pay for each read, so pages ask less often there, and count only on demand. */
export const readsHaveAPrice = computed(() => server.value?.runs_on === "functions");

export async function loadServer(): Promise<void> {
  server.value = await ask<VersionBody>("version");
}
