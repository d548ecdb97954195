import type { Readable } from 'node:stream';

export interface StoredFile {
  sizeBytes: number;
  /** Of the whole content, lower-case hex. */
  sha256: string;
}

/** Bytes `start` to `end`, both included and counted from 0, as in an HTTP range. `end` is the last byte when absent. */
export interface ByteRange {
  start: number;
  end?: number;
}

export interface OpenedFile {
  stream: Readable;
  /** Of the whole file, whatever the range. */
  sizeBytes: number;
}

export interface LocalFile {
  path: string;
  /** Call when done with the path; afterwards it may be gone. */
  release(): Promise<void>;
}

/**
 * Where uploaded and produced files lie. Keys are made by us, never by clients: 1 to 8 segments of letters, digits,
 * `_`, `-` and inner dots, separated by `/`. Anything else throws `InvalidFileKeyError`. A storage that cannot be
 * reached throws `StorageUnavailableError`, a folder the error of the file system.
 */
export abstract class FileStorage {
  /**
   * Keeps the content under `key`, replacing what was there, and returns when it will survive a crash of the machine.
   * A reader sees the old content or the whole new one. When the source fails or `signal` aborts, nothing is kept
   * and that error is thrown.
   */
  abstract put(
    key: string,
    source: Readable | { path: string },
    options?: { signal?: AbortSignal },
  ): Promise<StoredFile>;

  /**
   * A range beyond the end has no bytes; neither has one whose end lies before its start.
   * @throws FileMissingError
   */
  abstract open(key: string, range?: ByteRange): Promise<OpenedFile>;

  /** Null when there is no such file. */
  abstract stat(key: string): Promise<{ sizeBytes: number; modifiedAt: Date } | null>;

  /**
   * The file as a path of this machine, for parsers that cannot stream. Do not write to it. Until it is released it has
   * the same bytes, also when the file is replaced or deleted meanwhile.
   * @throws FileMissingError
   */
  abstract localPath(key: string): Promise<LocalFile>;

  /** No error when it is already gone. */
  abstract delete(key: string): Promise<void>;

  /**
   * Removes what processes that have ended left on this machine: half-written files, and local ones that they did not
   * release. Cheap; call it every minute or so.
   * @returns how many went
   */
  abstract removeAbandoned(): Promise<number>;

  /** @throws when files cannot be written now. */
  abstract health(): Promise<void>;
}
