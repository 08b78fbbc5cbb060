/** Reads from the records of a MANIFEST which tables and logs belong to the database (google/leveldb, db/version_edit.cc). */
import { ByteReader, FormatError } from "./byte-reader.ts";

export interface LiveFiles {
  /** The numbers of the tables that contain data. Other tables in the directory are left of work that was not finished. */
  readonly tables: ReadonlySet<number>;
  /** Logs from this number on, and the log `previousLog`, are read at the next start. */
  readonly firstLog: number;
  readonly previousLog: number;
}

/** @throws FormatError for a record that LevelDB does not write */
export function liveFiles(records: readonly Uint8Array[]): LiveFiles {
  const tables = new Set<number>();
  const logs = { firstLog: 0, previousLog: 0 };
  for (const record of records) {
    const reader = new ByteReader(record);
    while (!reader.isAtEnd) readField(reader, tables, logs);
  }
  return { tables, ...logs };
}

function readField(reader: ByteReader, tables: Set<number>, logs: { firstLog: number; previousLog: number }): void {
  const tag = reader.varint();
  switch (tag) {
    // The name of the comparator.
    case 1:
      return skipText(reader);
    case 2:
      logs.firstLog = reader.varint();
      return;
    // The next file number, and the last sequence number.
    case 3:
    case 4:
      return reader.skipVarint();
    // Where the next compaction of a level begins.
    case 5:
      reader.skipVarint();
      return skipText(reader);
    case 6:
      reader.skipVarint();
      tables.delete(reader.varint());
      return;
    case 7: {
      reader.skipVarint();
      const number = reader.varint();
      reader.skipVarint();
      skipText(reader);
      skipText(reader);
      tables.add(number);
      return;
    }
    case 9:
      logs.previousLog = reader.varint();
      return;
    default:
      throw new FormatError(`the field ${tag} is unknown`);
  }
}

function skipText(reader: ByteReader): void {
  reader.bytes(reader.varint());
}
