/** What files are, without database, storage or accounts: processes that read strangers' files load this alone. */
export { guessLegacyEncoding } from './files/encodings/legacy-encodings.js';
export { detectUtf16 } from './files/detect-utf16.js';
export { type FileKind, findKindByFilename, isFileKind } from './files/file-kinds.js';
export { readImageSize } from './files/image-size.js';
