import { ARTIFACT_LIMITS, SourceQueries } from '@app/artifacts';
import { ForbiddenError, InvalidRequestError, NotFoundError, ValidationError } from '@app/common';
import { findTabularFileByUid } from '@app/tabular';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';

const DATA_SOURCE = /^ds:[1-9]\d{0,9}$/;

/** The sources that a call names, as refs. */
@Injectable()
export class NamedSources {
  constructor(
    private readonly dataSource: DataSource,
    private readonly sources: SourceQueries,
  ) {}

  /**
   * Null where it names none.
   * @throws InvalidRequestError `unknown_file`, `invalid_source`; ForbiddenError `source_not_yours`
   */
  async of(userId: number, files: readonly string[], dataSources: readonly string[]): Promise<string[] | null> {
    if (files.length === 0 && dataSources.length === 0) return null;
    const uids = [...new Set(files.map((uid) => uid.toLowerCase()))];
    const refs = [...new Set(dataSources)];
    for (const ref of refs)
      if (!DATA_SOURCE.test(ref))
        throw new InvalidRequestError(`"${ref}" names no connected database: write ds:<id>.`, {
          code: 'invalid_source',
        });
    for (const uid of uids) await this.requireFile(userId, uid);
    for (const ref of refs) await this.requireDataSource(userId, ref);
    return [...uids.map((uid) => `file:${uid}`), ...refs];
  }

  private async requireFile(userId: number, uid: string): Promise<void> {
    const file = await findTabularFileByUid(this.dataSource, uid);
    if (!file) throw new InvalidRequestError(`There is no uploaded spreadsheet ${uid}.`, { code: 'unknown_file' });
    if (file.ownerId !== userId) throw notYours(`file:${uid}`);
  }

  /** Numbers of others are not told from those of nobody. */
  private async requireDataSource(userId: number, ref: string): Promise<void> {
    try {
      await this.sources.describe(userId, [ref]);
    } catch (error) {
      throw error instanceof NotFoundError ? notYours(ref) : error;
    }
  }
}

/** What an artifact reads counts with what a call names. @throws ValidationError */
export function requireFew(refs: readonly string[]): void {
  const all = new Set(refs);
  const files = [...all].filter((ref) => ref.startsWith('file:')).length;
  if (files > ARTIFACT_LIMITS.files)
    throw new ValidationError({ file_uids: [`A page may read ${ARTIFACT_LIMITS.files} files at most.`] });
  if (all.size - files > ARTIFACT_LIMITS.dataSources)
    throw new ValidationError({
      source_refs: [`A page may read ${ARTIFACT_LIMITS.dataSources} connected databases at most.`],
    });
}

const notYours = (ref: string): ForbiddenError =>
  new ForbiddenError(`The source ${ref} is not yours.`, { code: 'source_not_yours' });
