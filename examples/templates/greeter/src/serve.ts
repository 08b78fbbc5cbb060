/** Serves the services over HTTP, on this machine and in containers. */
import "./older-node.ts";
import { serve } from "@restatedev/restate-sdk";
import { services } from "./services.ts";

const PORT_DEFAULT = 9080;

void serve({ services, port: Number(process.env["PORT"] ?? PORT_DEFAULT) });
