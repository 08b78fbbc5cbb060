/** The SDKs: the tools of each, the commands that build its deployment in a copy of its folder, and the one that starts it. */
import { join } from "node:path";

/**
 * Prints the version of Python, but fails if `ensurepip` or `venv` is missing. Without these two modules, Python cannot create
 * the virtual environment.
 */
const PYTHON_VERSION = "import ensurepip, platform, venv; print(platform.python_version())";

const PIP_OPTIONS = ["--quiet", "--disable-pip-version-check", "--require-hashes", "--only-binary", ":all:"];

export const SDKS = [
  {
    name: "python",
    needs: [{ command: "python3", args: ["-c", PYTHON_VERSION], least: [3, 11] }],
    steps: [
      ["python3", "-m", "venv", ".venv"],
      [".venv/bin/python", "-m", "pip", "install", ...PIP_OPTIONS, "-r", "requirements.txt"],
    ],
    start: (folder) => ({ command: join(folder, ".venv/bin/python"), args: ["deployment.py"] }),
  },
  {
    name: "java",
    needs: [
      { command: "javac", args: ["--version"], least: [17] },
      { command: "mvn", args: ["--version"], least: [3, 6, 3] },
    ],
    steps: [["mvn", "--batch-mode", "--quiet", "--strict-checksums", "compile"]],
    start: () => ({ command: "java", args: ["-cp", "target/classes:target/jars/*", "deployment.Main"] }),
  },
  {
    name: "go",
    needs: [{ command: "go", args: ["version"], least: [1, 25] }],
    steps: [["go", "build", "-mod=readonly", "-trimpath", "-o", "deployment", "."]],
    // Only the installed Go builds the deployment. If that Go is too old, the SDK is skipped, and no other Go is downloaded.
    environment: { GOTOOLCHAIN: "local" },
    start: (folder) => ({ command: join(folder, "deployment"), args: [] }),
  },
  {
    name: "rust",
    needs: [
      { command: "cargo", args: ["--version"], least: [1, 90] },
      { command: "rustc", args: ["--version"], least: [1, 90] },
      { command: "cc", args: ["--version"], least: [1] },
    ],
    steps: [["cargo", "build", "--quiet", "--locked"]],
    environment: { CARGO_TARGET_DIR: "target" },
    // Two hundred crates are compiled once, and not again when a handler changes.
    keeps: ["target"],
    start: (folder) => ({ command: join(folder, "target/debug/sdk-deployment"), args: [] }),
  },
];
