import { AuditReader } from '@app/audit';
import type { ExportedFile, OwnedData } from '@app/erasure';
import { Subscriptions } from '@app/integrations';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';

/** What is paid for ends first, before there is anything missing that it could be paid for. */
@Injectable()
export class OwnedSubscription implements OwnedData {
  readonly name = 'subscription';
  readonly tables = [];
  readonly order = 10;

  constructor(private readonly subscriptions: Subscriptions) {}

  async countFor(): Promise<number> {
    return 0;
  }

  async deleteSome(userId: number): Promise<number> {
    await this.subscriptions.cancelFor(userId);
    return 0;
  }
}

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
    const rows = await this.reader.listAbout(userId);
    yield { path: 'audit.json', content: JSON.stringify(rows, null, 2) };
  }
}
