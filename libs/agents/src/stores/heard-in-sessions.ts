import { toJsonText } from '@app/common';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { HeardParties } from '../agent/heard.js';

/** Whose words a chat session holds, over all of its turns, however they ended. */
@Injectable()
export class HeardInSessions {
  constructor(private readonly dataSource: DataSource) {}

  of(sessionId: number): HeardParties & { all(): Promise<Record<string, string>> } {
    return {
      all: async () => {
        const [row] = await this.dataSource.query<{ heard: Record<string, string> }[]>(
          'SELECT heard FROM chat_sessions WHERE id = $1',
          [sessionId],
        );
        return row?.heard ?? {};
      },
      add: async (parties) => {
        await this.dataSource.query('UPDATE chat_sessions SET heard = heard || $2::jsonb WHERE id = $1', [
          sessionId,
          toJsonText(parties),
        ]);
      },
    };
  }
}
