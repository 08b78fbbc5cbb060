/** Finds the processes in which the emulator runs functions, reads their credentials, and sends them signals. */
import { readdirSync, readFileSync } from "node:fs";
import { aws, type DeployedStack } from "./control-plane.ts";

const FUNCTION_NAME = /(?:^|\0)AWS_LAMBDA_FUNCTION_NAME=([^\0]*)/;

/**
 * @param names the names of functions
 * @returns the ids of the processes in which this emulator runs them
 */
export function processesOf(names: readonly string[]): number[] {
  return readdirSync("/proc")
    .filter((entry) => /^\d+$/.test(entry))
    .map(Number)
    .filter((pid) => parentOf(pid) === aws.emulatorPid && names.includes(functionOf(pid) ?? ""));
}

export function functionNames({ outputs }: DeployedStack): string[] {
  return ["Ingress", "Admin", "Worker", "Sweeper"].map((name) => outputs[`${name}Function`]!);
}

/** The credentials of a function, which are a session of its role. */
export function credentialsIn(pid: number) {
  const environment = read(`/proc/${pid}/environ`);
  const value = (name: string): string => new RegExp(`(?:^|\\0)${name}=([^\\0]*)`).exec(environment)?.[1] ?? "";
  return {
    accessKeyId: value("AWS_ACCESS_KEY_ID"),
    secretAccessKey: value("AWS_SECRET_ACCESS_KEY"),
    sessionToken: value("AWS_SESSION_TOKEN"),
  };
}

export function signal(pids: readonly number[], name: "SIGSTOP" | "SIGCONT" | "SIGKILL"): void {
  for (const pid of pids) process.kill(pid, name);
}

function functionOf(pid: number): string | undefined {
  return FUNCTION_NAME.exec(read(`/proc/${pid}/environ`))?.[1];
}

function parentOf(pid: number): number | undefined {
  const parent = /^PPid:\s+(\d+)$/m.exec(read(`/proc/${pid}/status`))?.[1];
  return parent === undefined ? undefined : Number(parent);
}

/** @returns an empty text if the process has ended meanwhile */
function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
