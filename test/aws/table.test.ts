/** The table's contract on the DynamoDB of the emulated AWS. */
import { tableContract } from "../contracts/table-contract.ts";
import { openTable } from "../dynamodb/open-table.ts";

tableContract("dynamodb of the emulated AWS", openTable);
