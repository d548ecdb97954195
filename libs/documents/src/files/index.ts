export { guessLegacyEncoding } from './encodings/legacy-encodings.js';
export { detectUtf16 } from './detect-utf16.js';
export { FileScreening } from './file-screening.js';
export { ARCHIVE_LIMITS, inspectArchive } from './archive-limits.js';
export {
  FILE_KINDS,
  SUPPORTED_EXTENSIONS,
  extensionOf,
  fileKindDefinition,
  findKindByFilename,
  isFileKind,
} from './file-kinds.js';
export type { FileContainer, FileFamily, FileKind, FileKindDefinition } from './file-kinds.js';
export { MAX_IMAGE_PIXELS, readImageSize } from './image-size.js';
export { inspectAttachment, type AttachmentToInspect } from './inspect-attachment.js';
export { getKindByFilename, inspectUpload } from './inspect-upload.js';
export type { InspectedUpload, UploadToInspect } from './inspect-upload.js';
export { UploadedZip } from './zip/uploaded-zip.js';
export { ZipBudget, type ZipLimits } from './zip/zip-budget.js';
export type { ZipMember } from './zip/zip-members.js';
export { sanitizeFilename } from './sanitize-filename.js';
export { UploadRejectedError } from './upload-rejected.error.js';
