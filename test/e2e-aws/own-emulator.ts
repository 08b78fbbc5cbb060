/** Points the AWS clients of a test file, and the processes that the file starts, at the emulator of the test worker. */
import { clientEnvironment } from "../../localstack/deploy.mjs";
import { aws } from "./control-plane.ts";

Object.assign(process.env, clientEnvironment(aws.endpoint));
