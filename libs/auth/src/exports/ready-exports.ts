import type { MediaFile } from '@app/contracts';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';

/** Copies of one's data that can be fetched. */
@Injectable()
export class ReadyExports {
  constructor(private readonly dataSource: DataSource) {}

  /** For who may have it, which the caller knows. Null when there is none, not yet or no longer. */
  async find(id: string): Promise<Pick<MediaFile, 'storageKey' | 'sizeBytes' | 'sha256'> | null> {
    const [row] = await this.dataSource.query<{ storageKey: string; sizeBytes: string; sha256: string }[]>(
      `SELECT storage_key AS "storageKey", size_bytes AS "sizeBytes", sha256 FROM exports
       WHERE id = $1 AND state = 'ready' AND expires_at > now()`,
      [id],
    );
    return row ? { ...row, sizeBytes: Number(row.sizeBytes) } : null;
  }
}
