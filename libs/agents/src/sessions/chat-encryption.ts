import { createCipheriv, randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';

const IV_BYTES = 12;
const BATCH = 200;
/** `enc:v1:<iv>:<ct>` (docs/contract/accounts.md#keys-of-clients), both base64url, the tag at the end of `ct`. */
const ENCRYPTED = '^enc:v1:[A-Za-z0-9_-]{16}:[A-Za-z0-9_-]+$';

type Turn = { id: string; question: string; answer: string };

/** What calls were answered with, for whoever repeats them: kept above. */
export abstract class RepeatedAnswers {
  /** Puts this answer in the place of each of the account's that has all these members. */
  abstract replaceWith(
    userId: number,
    members: readonly string[],
    answer: { status: number; body: string },
  ): Promise<void>;
}

/** Encrypts what was said in chats before the client had its data key. */
@Injectable()
export class ChatEncryption {
  constructor(
    private readonly dataSource: DataSource,
    private readonly kept: RepeatedAnswers,
  ) {}

  /**
   * Every finished plaintext message of the account, and the titles made of them. It may be repeated and may run twice
   * at once: each message is encrypted by whoever comes first.
   * @param dataKey 32 bytes, kept nowhere
   * @returns how many messages this call encrypted
   */
  async migrate(userId: number, dataKey: Buffer): Promise<number> {
    let [migrated, after] = [0, '00000000-0000-0000-0000-000000000000'];
    for (;;) {
      const turns = await this.dataSource.query<Turn[]>(
        `SELECT t.id, t.question, t.answer FROM chat_turns t JOIN chat_sessions s ON s.id = t.session_id
         WHERE s.user_id = $1 AND t.id > $2 AND t.status IN ('completed', 'failed', 'interrupted') AND (t.question !~ $3 OR (t.answer <> '' AND t.answer !~ $3))
         ORDER BY t.id LIMIT $4`,
        [userId, after, ENCRYPTED, BATCH],
      );
      for (const turn of turns) migrated += await this.encryptTurn(turn, dataKey);
      if (turns.length < BATCH) break;
      after = turns.at(-1)!.id;
    }
    migrated += await this.encryptKept(userId, dataKey);
    await this.encryptSteps(userId, dataKey);
    await this.encryptTitles(userId, dataKey);
    await this.forgetRepeatable(userId);
    return migrated;
  }

  private async encryptTurn({ id, question, answer }: Turn, dataKey: Buffer): Promise<number> {
    const [sealedQuestion, sealedAnswer] = [question, answer].map((text) => encrypted(text, dataKey));
    // What was told piece by piece, the whole reply of a chat with tables, and words to look for say the same in clear.
    const rows = await this.dataSource.query<unknown[]>(
      `WITH sealed AS (
         UPDATE chat_turns SET question = $4, answer = $5, result = result - 'reply', request = request - 'query', state = NULL
         WHERE id = $1 AND question = $2 AND answer = $3 RETURNING id, session_id),
       gone AS (DELETE FROM chat_turn_events e USING sealed WHERE e.turn_id = sealed.id),
       undone AS (DELETE FROM chat_turn_steps p USING sealed WHERE p.turn_id = sealed.id),
       forgotten AS (UPDATE chat_turn_work k SET work_sealed = NULL, uids = '{}', tokens = 0 FROM sealed WHERE k.turn_id = sealed.id),
       unsaid AS (DELETE FROM chat_session_summaries m USING sealed WHERE m.session_id = sealed.session_id),
       results AS (DELETE FROM agent_results r USING sealed WHERE r.turn_id = sealed.id)
       SELECT 1 FROM sealed`,
      [id, question, answer, sealedQuestion, sealedAnswer],
    );
    return rows.length === 0 ? 0 : Number(sealedQuestion !== question) + Number(sealedAnswer !== answer);
  }

  /** What clients keep of their chats with tables. */
  private async encryptKept(userId: number, dataKey: Buffer): Promise<number> {
    let [migrated, after] = [0, 0];
    for (;;) {
      const messages = await this.dataSource.query<
        { id: number; question: string; answer: string; sql: string | null }[]
      >(
        `SELECT id, question, answer, sql FROM tabular_messages
         WHERE user_id = $1 AND id > $2 AND (question !~ $3 OR (answer <> '' AND answer !~ $3)) ORDER BY id LIMIT $4`,
        [userId, after, ENCRYPTED, BATCH],
      );
      for (const { id, question, answer, sql } of messages) {
        const sealed = [question, answer, sql ?? ''].map((text) => encrypted(text, dataKey));
        const [, count] = await this.dataSource.query<[unknown, number]>(
          `UPDATE tabular_messages SET question = $4, answer = $5, sql = nullif($6, '')
           WHERE id = $1 AND question = $2 AND answer = $3`,
          [id, question, answer, ...sealed],
        );
        if (count > 0) migrated += Number(sealed[0] !== question) + Number(sealed[1] !== answer);
      }
      if (messages.length < BATCH) return migrated;
      after = messages.at(-1)!.id;
    }
  }

  /** The steps of answers repeat the question in other words. */
  private async encryptSteps(userId: number, dataKey: Buffer): Promise<void> {
    for (;;) {
      const steps = await this.dataSource.query<{ turn: string; step: number; text: string; sql: string | null }[]>(
        `SELECT h.turn_id AS turn, h.step, h.text, h.sql FROM chat_thoughts h
         JOIN chat_turns t ON t.id = h.turn_id JOIN chat_sessions s ON s.id = t.session_id
         WHERE s.user_id = $1 AND t.status IN ('completed', 'failed', 'interrupted') AND ((h.text <> '' AND h.text !~ $2) OR (h.sql <> '' AND h.sql !~ $2))
         LIMIT $3`,
        [userId, ENCRYPTED, BATCH],
      );
      for (const { turn, step, text, sql } of steps)
        await this.dataSource.query(
          'UPDATE chat_thoughts SET text = $3, sql = $4 WHERE turn_id = $1 AND step = $2 AND text = $5',
          [turn, step, encrypted(text, dataKey), sql === null ? null : encrypted(sql, dataKey), text],
        );
      if (steps.length < BATCH) return;
    }
  }

  /** Answers of chats with tables, and kept messages, that would be given again to a repeated call (`Idempotency-Key`). */
  private async forgetRepeatable(userId: number): Promise<void> {
    const erased = { detail: 'What was said here is kept no longer.', code: 'turn_erased' };
    await this.kept.replaceWith(userId, ['answer', 'sql', 'mgid'], { status: 409, body: JSON.stringify(erased) });
  }

  private async encryptTitles(userId: number, dataKey: Buffer): Promise<void> {
    const sessions = await this.dataSource.query<{ id: number; title: string }[]>(
      'SELECT id, title FROM chat_sessions WHERE user_id = $1 AND title !~ $2',
      [userId, ENCRYPTED],
    );
    for (const { id, title } of sessions)
      await this.dataSource.query('UPDATE chat_sessions SET title = $3 WHERE id = $1 AND title = $2', [
        id,
        title,
        encrypted(title, dataKey),
      ]);
  }
}

function encrypted(text: string, dataKey: Buffer): string {
  if (text === '' || new RegExp(ENCRYPTED).test(text)) return text;
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv('aes-256-gcm', dataKey, iv);
  const ct = Buffer.concat([cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
  return `enc:v1:${iv.toString('base64url')}:${ct.toString('base64url')}`;
}
