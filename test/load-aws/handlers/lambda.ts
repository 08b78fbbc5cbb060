/** The handlers under load as a Lambda function. */
import "../../../examples/polyfill.mjs";
import { createEndpointHandler } from "@restatedev/restate-sdk/lambda";
import { loadServices } from "./services.ts";

const ledgerPath = process.env["LOAD_LEDGER"];
if (ledgerPath === undefined) throw new Error("LOAD_LEDGER names no file");

export const handler = createEndpointHandler({ services: loadServices("Fn", ledgerPath), logger: () => {} });
