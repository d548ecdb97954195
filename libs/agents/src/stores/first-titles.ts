import type { DataSource } from 'typeorm';

/** A conversation whose title is still the beginning of its first question. */
export interface Untitled {
  readonly title: string;
  readonly userId: number;
  /** Of the turn. */
  readonly modelId: number | null;
  readonly turnId: string;
  readonly question: string;
}

/** Null where the title is no longer made of the question, and where only the client can read it. */
export async function findUntitled(db: DataSource, sessionId: number): Promise<Untitled | null> {
  const [row] = await db.query<Untitled[]>(
    `SELECT s.title, s.user_id AS "userId", t.model_id AS "modelId", t.id AS "turnId", t.question FROM chat_sessions s
     JOIN chat_turns t ON t.session_id = s.id
     WHERE s.id = $1 AND t.handler <> 'secure' AND t.question !~ '^enc:v1:' ORDER BY t.seq LIMIT 1`,
    [sessionId],
  );
  if (!row) return null;
  const line = row.question.replace(/\s+/g, ' ').trim();
  const isFirst = row.title === line || (row.title.endsWith('…') && line.startsWith(row.title.slice(0, -1)));
  return isFirst ? row : null;
}

/** Unless somebody has given another title since. */
export async function replaceTitle(
  db: DataSource,
  { sessionId, title, written }: { sessionId: number; title: string; written: string },
): Promise<void> {
  await db.query('UPDATE chat_sessions SET title = $3 WHERE id = $1 AND title = $2', [sessionId, title, written]);
}
