/** The server behind the page: its version, and whether each of its reads has a price. */
import { computed, signal } from "@preact/signals";
import type { VersionBody } from "../../shared/api/contract/server.ts";
import { ask } from "./api.ts";

export const server = signal<VersionBody | undefined>(undefined);

/** A control plane on functions pays for each read, so its pages load less often, and count invocations only on demand. */
export const readsHaveAPrice = computed(() => server.value?.runs_on === "functions");

export async function loadServer(): Promise<void> {
  server.value = await ask<VersionBody>("version");
}
