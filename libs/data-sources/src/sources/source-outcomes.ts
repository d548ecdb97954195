import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { SourceFailure } from '../shapes/source-failure.js';

interface Tried {
  id: number;
  revision: number;
}

/** What became of connections, written down for the owner; never over a source that was changed meanwhile. */
@Injectable()
export class SourceOutcomes {
  constructor(private readonly dataSource: DataSource) {}

  /** Once a minute where nothing changes by it. */
  async reached({ id, revision }: Tried): Promise<void> {
    await this.dataSource.query(
      `UPDATE data_sources SET status = 'ok', last_ok_at = now(), last_error = '' WHERE id = $1 AND revision = $2
         AND (status <> 'ok' OR last_ok_at IS NULL OR last_ok_at < now() - interval '1 minute')`,
      [id, revision],
    );
  }

  async failed({ id, revision }: Tried, { message }: SourceFailure): Promise<void> {
    await this.dataSource.query(
      `UPDATE data_sources SET status = 'error', last_error = $3 WHERE id = $1 AND revision = $2
         AND (status <> 'error' OR last_error <> $3)`,
      [id, revision, message],
    );
  }
}
