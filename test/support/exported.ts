import { text } from 'node:stream/consumers';
import type { ExportedFile } from '@app/erasure';

/** What a file of an export holds. */
export const contentOf = async ({ content }: Pick<ExportedFile, 'content'>): Promise<string> =>
  typeof content === 'string' ? content : text(await content());
