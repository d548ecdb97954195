import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';

/** The rows of messages about an account. */
@Injectable()
export class MessagesOfAccount {
  constructor(private readonly dataSource: DataSource) {}

  async count(userId: number): Promise<number> {
    const [{ count }] = await this.dataSource.query<[{ count: number }]>(
      'SELECT count(*)::int AS count FROM outgoing_messages WHERE user_id = $1',
      [userId],
    );
    return count;
  }

  /** At most `limit` of them. @returns whom the removed ones went to */
  async remove(
    userId: number,
    limit: number,
    tx: EntityManager,
  ): Promise<{ channel: 'mail' | 'sms'; recipient: string }[]> {
    const [removed] = await tx.query<[{ channel: 'mail' | 'sms'; recipient: string }[], number]>(
      `DELETE FROM outgoing_messages WHERE id IN (SELECT id FROM outgoing_messages WHERE user_id = $1 LIMIT $2)
       RETURNING channel, recipient`,
      [userId, limit],
    );
    return removed;
  }
}
