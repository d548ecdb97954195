/** Where the bytes of a file lie, and what it is called; a bigint is text. */
export interface StoredFileRow {
  storageKey: string;
  name: string;
  mimeType: string;
  sizeBytes: string;
}
