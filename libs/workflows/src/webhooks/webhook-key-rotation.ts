import { KeyRotation, type Rotatable } from '@app/secrets';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { WebhookSecrets } from './webhook-secrets.js';

type Row = { webhook_id: string; secret_sealed: string };

/** Brings webhook secrets under the current master key: the sealed text and the hash together. */
@Injectable()
export class WebhookKeyRotation implements Rotatable {
  readonly name = 'workflow_webhooks.secret_sealed';

  constructor(
    private readonly dataSource: DataSource,
    private readonly secrets: WebhookSecrets,
    rotation: KeyRotation,
  ) {
    rotation.register(this);
  }

  async countStale(): Promise<number> {
    const [{ count }] = await this.dataSource.query<[{ count: number }]>(
      'SELECT count(*)::int AS count FROM workflow_webhooks WHERE NOT starts_with(secret_sealed, $1)',
      [this.secrets.currentPrefix],
    );
    return count;
  }

  async rewrapSome(limit: number): Promise<{ seen: number; unreadable: number }> {
    const rows = await this.dataSource.query<Row[]>(
      `SELECT webhook_id, secret_sealed FROM workflow_webhooks
       WHERE NOT starts_with(secret_sealed, $1) ORDER BY random() LIMIT $2`,
      [this.secrets.currentPrefix, limit],
    );
    let unreadable = 0;
    for (const row of rows) if (!(await this.rewrap(row))) unreadable += 1;
    return { seen: rows.length, unreadable };
  }

  private async rewrap({ webhook_id, secret_sealed }: Row): Promise<boolean> {
    const secret = this.tryOpen(secret_sealed, webhook_id);
    if (secret === null) return false;
    await this.dataSource.query(
      'UPDATE workflow_webhooks SET secret_sealed = $3, secret_mac = $4 WHERE webhook_id = $1 AND secret_sealed = $2',
      [webhook_id, secret_sealed, this.secrets.seal(secret, webhook_id), this.secrets.mac(secret)],
    );
    return true;
  }

  private tryOpen(sealed: string, webhookId: string): string | null {
    try {
      return this.secrets.open(sealed, webhookId);
    } catch {
      return null;
    }
  }
}
