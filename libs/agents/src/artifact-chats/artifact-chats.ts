import { ConflictError, InvalidRequestError, NotFoundError, toJsonText } from '@app/common';
import { retriedTransaction } from '@app/entities';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { PageDraft, TurnAtPage } from './page-draft.js';

/** What a conversation is about. */
export interface ArtifactChatRecord {
  /** Null until a new page is published. */
  artifactId: string | null;
  /** Refs that its first call named, sorted. */
  sources: string[];
  draft: PageDraft | null;
  /** The last one that checked or published something. */
  turn: TurnAtPage | null;
}

/** What a call says that its conversation is about; null: it does not say. */
export interface NamedSubject {
  artifactId: string | null;
  /** Of the artifact: the conversation is called like it. */
  title: string | null;
  /** Whether it is about an artifact that there is, and not about one that is to be made. */
  needsArtifact: boolean;
  sources: readonly string[] | null;
  /** Of the named artifact: who names them all names the same. */
  artifactSources: readonly string[];
}

/** A change of a draft by one call of a tool. */
export interface DraftCall {
  sessionId: number;
  /** Of turn and call: a repetition changes nothing, and gives what the call gave. */
  key: string;
}

export interface DraftChange<T> {
  draft: PageDraft | null;
  /** Stays as it is when absent. */
  turn?: TurnAtPage;
  output: T;
}

interface DoneCall {
  key: string;
  output: unknown;
}

/** Calls that a turn may make between two of a worker that is lost; older ones are never repeated. */
const KEPT_CALLS = 30;

/** Which artifact and which sources the conversations of artifact-chat are about (docs/contract/artifact-chat.md). */
@Injectable()
export class ArtifactChats {
  constructor(private readonly dataSource: DataSource) {}

  /**
   * In the transaction that begins a turn and holds its session: the first call decides, later ones name the same or
   * nothing. @throws InvalidRequestError `artifact_id_required`; ConflictError `conversation_of_other_artifact`,
   *   `conversation_of_other_sources`
   */
  async bind(tx: EntityManager, sessionId: number, named: NamedSubject): Promise<void> {
    const sources = named.sources && inOrder(named.sources);
    const [bound] = await tx.query<{ artifactId: string | null; sources: string[] }[]>(
      'SELECT artifact_id AS "artifactId", sources FROM artifact_chats WHERE session_id = $1',
      [sessionId],
    );
    if (named.needsArtifact && (bound?.artifactId ?? named.artifactId) === null) throw artifactRequired();
    if (!bound) {
      if (named.title !== null)
        await tx.query('UPDATE chat_sessions SET title = $2 WHERE id = $1', [sessionId, named.title]);
      await tx.query('INSERT INTO artifact_chats (session_id, artifact_id, sources) VALUES ($1, $2, $3)', [
        sessionId,
        named.artifactId,
        sources ?? [],
      ]);
      return;
    }
    if (named.artifactId !== null && named.artifactId !== bound.artifactId) throw ofOtherArtifact();
    if (sources && !isSame(sources, bound.sources) && !isAll(sources, bound.sources, named)) throw ofOtherSources();
  }

  /** Null for a conversation that is none of artifact-chat. */
  async find(sessionId: number): Promise<ArtifactChatRecord | null> {
    const [row] = await this.dataSource.query<ArtifactChatRecord[]>(
      'SELECT artifact_id AS "artifactId", sources, draft, turn FROM artifact_chats WHERE session_id = $1',
      [sessionId],
    );
    return row ?? null;
  }

  /** @param change is not called for a repetition, and what it throws changes nothing */
  change<T>(
    call: DraftCall,
    change: (chat: ArtifactChatRecord) => DraftChange<T> | Promise<DraftChange<T>>,
  ): Promise<T> {
    return this.dataSource.transaction((tx) => this.changeIn(tx, call, change));
  }

  /** What a call gave that was made before; null for one that was not. */
  async outputOf<T>({ sessionId, key }: DraftCall): Promise<T | null> {
    const [row] = await this.dataSource.query<{ output: T }[]>(
      `SELECT c.call->'output' AS output FROM artifact_chats a, jsonb_array_elements(a.calls) AS c(call)
       WHERE a.session_id = $1 AND c.call->>'key' = $2`,
      [sessionId, key],
    );
    return row?.output ?? null;
  }

  /** The draft is a version now: the conversation is about this artifact from now on, and is called like it. */
  async published<T>(
    call: DraftCall,
    artifact: { id: string; title: string },
    change: (chat: ArtifactChatRecord) => Omit<DraftChange<T>, 'draft'>,
  ): Promise<T> {
    // Whoever deletes the artifact at this moment meets the same rows in another order.
    return retriedTransaction(this.dataSource, async (tx) => {
      const given = await this.changeIn(tx, call, (chat) => ({ ...change(chat), draft: null }));
      const { sessionId } = call;
      await tx.query('UPDATE artifact_chats SET artifact_id = $2 WHERE session_id = $1', [sessionId, artifact.id]);
      await tx.query('UPDATE chat_sessions SET title = $2 WHERE id = $1', [sessionId, artifact.title]);
      return given;
    });
  }

  private async changeIn<T>(
    tx: EntityManager,
    { sessionId, key }: DraftCall,
    change: (chat: ArtifactChatRecord) => DraftChange<T> | Promise<DraftChange<T>>,
  ): Promise<T> {
    const [row] = await tx.query<(ArtifactChatRecord & { calls: DoneCall[] })[]>(
      `SELECT artifact_id AS "artifactId", sources, draft, turn, calls FROM artifact_chats WHERE session_id = $1 FOR UPDATE`,
      [sessionId],
    );
    if (!row) throw conversationGone();
    const { calls, ...chat } = row;
    const done = calls.find((call) => call.key === key);
    if (done) return done.output as T;
    const { draft, turn = chat.turn, output } = await change(chat);
    const kept = [...calls, { key, output }].slice(-KEPT_CALLS);
    await tx.query(
      `UPDATE artifact_chats SET draft = $2::jsonb, turn = $3::jsonb, calls = $4::jsonb, updated_at = now()
       WHERE session_id = $1`,
      [sessionId, draft && toJsonText(draft), turn && toJsonText(turn), toJsonText(kept)],
    );
    return output;
  }
}

/** Refs as they are compared. */
const inOrder = (refs: readonly string[]): string[] => [...new Set(refs)].toSorted();

const isSame = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every((ref, at) => ref === other[at]);

/** What the conversation was begun with, together with what the artifact reads. */
function isAll(sources: readonly string[], bound: readonly string[], { artifactSources }: NamedSubject): boolean {
  return isSame(inOrder([...sources, ...artifactSources]), inOrder([...bound, ...artifactSources]));
}

const artifactRequired = () =>
  new InvalidRequestError('Name the artifact that the question is about.', { code: 'artifact_id_required' });

const ofOtherArtifact = () =>
  new ConflictError('This conversation is about another artifact. Begin a new one for this artifact.', {
    code: 'conversation_of_other_artifact',
  });

const ofOtherSources = () =>
  new ConflictError('This conversation is about other sources. Begin a new one for these sources.', {
    code: 'conversation_of_other_sources',
  });

/** With its artifact, which was deleted. */
const conversationGone = () => new NotFoundError('This conversation is gone.', { code: 'chat_session_not_found' });
