import { AuditReader } from '@app/audit';
import { exportedArray, type ExportedFile, type OwnedData } from '@app/erasure';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';

/** What the audit log says of the person; the entries themselves stay. */
@Injectable()
export class OwnedAuditEntries implements OwnedData {
  readonly name = 'audit';
  readonly tables = ['audit_events', 'audit_inbox'];
  readonly order = 90;

  constructor(private readonly reader: AuditReader) {}

  countFor(userId: number): Promise<number> {
    return this.reader.countAbout(userId);
  }

  deleteSome(userId: number, tx: EntityManager): Promise<number> {
    return this.reader.eraseAccount(userId, tx);
  }

  async *exportFor(userId: number): AsyncIterable<ExportedFile> {
    yield { path: 'audit.json', content: exportedArray((after) => this.reader.listAbout(userId, after)) };
  }
}
