import type { Principal } from '@app/auth';
import { InvalidRequestError } from '@app/common';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';

/** What the File Writer tool made for a person. Their paths can be signed like every media path. */
@Injectable()
export class WrittenFiles {
  constructor(private readonly dataSource: DataSource) {}

  /** Relative paths, sorted. @throws InvalidRequestError (`no_organization`) */
  async list({ userId, organizationId }: Principal): Promise<string[]> {
    if (organizationId === null)
      throw new InvalidRequestError('You belong to no organization.', { code: 'no_organization' });
    const rows = await this.dataSource.query<{ path: string }[]>(
      'SELECT path FROM written_files WHERE owner_id = $1 ORDER BY path COLLATE "C"',
      [userId],
    );
    return rows.map(({ path }) => path);
  }
}
