import { UploadRejectedError, fileKindDefinition, inspectArchive, type FileKind } from '@app/documents';
import { ExtractionError } from './extraction-error.js';

/**
 * Office files are unpacked once to nowhere: sizes in a zip can lie, and the parsers believe them.
 * @throws ExtractionError
 */
export async function checkArchive({ path, kind }: { path: string; kind: FileKind }): Promise<void> {
  const { container } = fileKindDefinition(kind);
  if (container !== 'office-open-xml' && container !== 'open-document') return;
  try {
    await inspectArchive(path, { inflate: true });
  } catch (error) {
    if (!(error instanceof UploadRejectedError)) throw error;
    const code = /password/.test(error.message) ? 'encrypted' : /damaged/.test(error.message) ? 'damaged' : 'too_large';
    throw new ExtractionError(code, error.message, { cause: error });
  }
}
