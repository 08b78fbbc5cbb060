/** Points the AWS clients of a test file, and the processes that it starts, at the emulator of its worker. */
import { clientEnvironment } from "../../localstack/deploy.mjs";
import { aws } from "./control-plane.ts";

Object.assign(process.env, clientEnvironment(aws.endpoint));
