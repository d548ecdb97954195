import { hasHiddenCharacters, isVisible, ValidationError } from '@app/common';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { documentColumns, type DocumentRecord } from '../state/document-columns.js';

export const MAX_TAGS = 50;
export const MAX_TAG_LENGTH = 64;

/** The owner's own words for a document. */
@Injectable()
export class DocumentTags {
  constructor(private readonly dataSource: DataSource) {}

  /** @param tags as `normalizeTags` gives them. @returns null when the document is gone */
  async replace(uid: string, tags: readonly string[]): Promise<DocumentRecord | null> {
    const [[row]] = await this.dataSource.query<[DocumentRecord[], number]>(
      `UPDATE documents d SET tags = $2, updated_at = now() WHERE d.uid = $1 AND d.deleted_at IS NULL
       RETURNING ${documentColumns('d')}`,
      [uid, tags],
    );
    return row ?? null;
  }
}

/**
 * In their order, without blanks around them; of those that differ in case only, the first.
 * @throws ValidationError for `tags`
 */
export function normalizeTags(raw: readonly string[]): string[] {
  const kept = new Map<string, string>();
  for (const tag of raw.map((text) => text.normalize('NFC').trim().replaceAll(/\s+/g, ' '))) {
    if (tag === '') throw refuse('A tag may not be blank.');
    if (hasHiddenCharacters(tag)) throw refuse('Control and invisible characters are not allowed.');
    if (!isVisible(tag)) throw refuse('A tag needs a character that can be seen.');
    if (tag.length > MAX_TAG_LENGTH) throw refuse(`Ensure each tag has no more than ${MAX_TAG_LENGTH} characters.`);
    if (!kept.has(tag.toLowerCase())) kept.set(tag.toLowerCase(), tag);
  }
  if (kept.size > MAX_TAGS) throw refuse(`Ensure this field has no more than ${MAX_TAGS} elements.`);
  return [...kept.values()];
}

const refuse = (message: string) => new ValidationError({ tags: [message] });
