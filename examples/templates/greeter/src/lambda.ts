/** Serves the services as a Lambda function, whose handler is `lambda.handler`. */
import "./older-node.ts";
import { createEndpointHandler } from "@restatedev/restate-sdk/lambda";
import { services } from "./services.ts";

export const handler = createEndpointHandler({ services });
