/** The contracts over the embedded adapters. */
import { EmbeddedTable } from "../../shared/adapters/embedded/embedded-table.ts";
import { openStore } from "../../shared/adapters/embedded/store.ts";
import { tableContract } from "./table-contract.ts";
import { removeDirectory, temporaryDirectory } from "./temporary-directory.ts";

tableContract("embedded", async () => {
  const dir = await temporaryDirectory();
  const store = await openStore(dir, { kind: "journal" });
  return {
    table: new EmbeddedTable(store),
    async close() {
      await store.close();
      await removeDirectory(dir);
    },
  };
});
