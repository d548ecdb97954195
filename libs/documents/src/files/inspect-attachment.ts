import { fileTypeFromBuffer } from 'file-type';
import {
  FILE_KINDS,
  extensionOf,
  fileKindDefinition,
  findKindByFilename,
  isFileKind,
  type FileKind,
} from './file-kinds.js';
import { inspectUpload, type InspectedUpload } from './inspect-upload.js';
import { readHead } from './read-head.js';
import { UploadRejectedError } from './upload-rejected.error.js';

export interface AttachmentToInspect {
  /** Where its bytes lie. */
  path: string;
  /** As its sender named it; '' where nobody did. */
  filename: string;
  /** As its sender says, in lower case; '' where that is not said. */
  mimeType: string;
  sizeBytes: number;
}

/**
 * Decides what a file within another one is. Nobody can be asked to name it better, so that it is taken for what its name
 * promises, else for what it is said to be, else for what its bytes begin like; they have to agree, as those of an upload.
 * @throws UploadRejectedError for what is none of the kinds that are read; its reasons are for the owner of the whole
 */
export async function inspectAttachment(attachment: AttachmentToInspect): Promise<InspectedUpload> {
  const { path, filename, mimeType, sizeBytes } = attachment;
  const kinds = [findKindByFilename(filename)?.id, kindOfMimeType(mimeType), await kindOfContent(path)];
  let first: UploadRejectedError | null = null;
  for (const kind of new Set(kinds)) {
    if (kind === undefined) continue;
    try {
      return await inspectUpload({ path, filename: `file.${fileKindDefinition(kind).extensions[0]}`, sizeBytes });
    } catch (error) {
      if (!(error instanceof UploadRejectedError) || error.code === 'upload_blocked') throw error;
      first ??= error;
    }
  }
  throw first ?? new UploadRejectedError([unreadReason(filename)]);
}

function kindOfMimeType(mimeType: string): FileKind | undefined {
  return Object.keys(FILE_KINDS)
    .filter(isFileKind)
    .find((kind) => fileKindDefinition(kind).mimeTypes.includes(mimeType));
}

async function kindOfContent(path: string): Promise<FileKind | undefined> {
  const found = await fileTypeFromBuffer(await readHead(path));
  return found && findKindByFilename(`file.${found.ext}`)?.id;
}

function unreadReason(filename: string): string {
  const extension = extensionOf(filename);
  return extension === '' ? 'What kind of file it is cannot be told.' : `Files of type ".${extension}" are not read.`;
}
