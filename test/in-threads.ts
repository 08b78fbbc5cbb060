/** The pool of the suites that run in worker threads. */

/*
 * The library of the embedded stores has a thread of its own, which lives until the process ends. Node unloads a library when the last
 * thread that imported it ends; then that thread of the library runs code that is gone, and the process dies of a segmentation fault.
 * A configuration is read in the main thread of vitest, so this import keeps the library loaded until the process ends.
 */
import "classic-level";

export const IN_THREADS = { pool: "threads" } as const;
