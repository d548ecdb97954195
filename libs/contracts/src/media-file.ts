/** A file that a media path stands for, as it lies in the storage. */
export interface MediaFile {
  storageKey: string;
  filename: string;
  mimeType: string;
  sizeBytes: number;
  sha256: string;
}
