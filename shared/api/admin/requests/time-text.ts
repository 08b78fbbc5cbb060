/** Formats moments for the admin API. */
import { momentIso } from "../../../core/model/moment.ts";

/** @returns the moment by RFC 3339, in UTC with nine digits after the point */
export function momentText(atMs: number): string {
  return momentIso(atMs).replace("Z", "000000Z");
}
