import {
  ArtifactAccess,
  ArtifactChanges,
  type ArtifactDraft,
  ArtifactParts,
  ArtifactRemoval,
  Artifacts,
  type ArtifactSource,
  type CheckedQuery,
  type NamedQuery,
  SourceQueries,
} from '@app/artifacts';
import { AuditLog } from '@app/audit';
import { InvalidRequestError, newId, NotFoundError } from '@app/common';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { createUserRow } from '../support/documents.js';

/** Sources of one person: all that are called `file:own`. */
class OwnSources extends SourceQueries {
  checked = 0;

  constructor(private readonly ownerId: () => number) {
    super();
  }

  async describe(ownerId: number, refs: readonly string[]): Promise<ArtifactSource[]> {
    if (ownerId !== this.ownerId() || refs.some((ref) => !ref.startsWith('file:own')))
      throw new NotFoundError('There is no such source.', { code: 'source_not_found' });
    return refs.map((ref) => ({ ref, type: 'file', name: `${ref.slice(5)}.csv` }));
  }

  async check(_ownerId: number, queries: readonly NamedQuery[]): Promise<CheckedQuery[]> {
    this.checked += 1;
    const wrong = queries.find(({ sql }) => !sql.startsWith('SELECT'));
    if (wrong) throw new InvalidRequestError(`The query "${wrong.name}" is no SELECT.`, { code: 'invalid_query' });
    return queries.map(({ name }) => ({ name, columns: [], rowCount: 1 }));
  }

  revisions(): never {
    throw new Error('Nothing is run here.');
  }

  run(): never {
    throw new Error('Nothing is run here.');
  }

  bind(): never {
    throw new Error('Nothing is run here.');
  }
}

const query = (more: Partial<NamedQuery> = {}): NamedQuery => ({
  name: 'trips',
  sourceRef: 'file:own',
  sql: 'SELECT 1',
  params: [],
  ...more,
});
const draft = (more: Partial<ArtifactDraft> = {}): ArtifactDraft => ({
  title: 'Trips',
  kind: 'dashboard',
  html: '<h1>Trips</h1>',
  queries: [],
  changeNote: '',
  ...more,
});

describe('artifacts', () => {
  let database: TestDatabase;
  let ownerId: number;
  let viewerId: number;
  let strangerId: number;
  let sources: OwnSources;
  let access: ArtifactAccess;
  let artifacts: Artifacts;
  let changes: ArtifactChanges;
  let removal: ArtifactRemoval;
  let renamed: string[];
  const sql = <T>(text: string, values: unknown[] = []) => database.dataSource.query<T>(text, values);
  const actor = () => ({ userId: ownerId, username: 'owner' });
  const shelve = async (artifactId: string, settings: object = {}, boardOwner = ownerId): Promise<number> => {
    const [board] = await sql<[{ id: number }]>(`INSERT INTO boards (owner_id, name) VALUES ($1, 'B') RETURNING id`, [
      boardOwner,
    ]);
    await sql(
      `INSERT INTO board_tiles (board_id, kind, artifact_id, x, y, w, h, settings) VALUES ($1, 'artifact', $2, 0, 0, 1, 1, $3)`,
      [board.id, artifactId, settings],
    );
    return board.id;
  };
  const join = (boardId: number, userId: number) =>
    sql(`INSERT INTO board_collaborators (board_id, user_id, role) VALUES ($1, $2, 'viewer')`, [boardId, userId]);
  const versionsOf = async (artifactId: string) =>
    (await artifacts.listVersions(ownerId, artifactId)).map(({ version }) => version);

  beforeAll(async () => {
    database = await createTestDatabase();
    const { dataSource } = database;
    const [parts, audit] = [new ArtifactParts(), new AuditLog(dataSource)];
    sources = new OwnSources(() => ownerId);
    access = new ArtifactAccess(dataSource);
    artifacts = new Artifacts(dataSource, access, sources, parts, audit);
    changes = new ArtifactChanges(dataSource, access, parts, audit);
    removal = new ArtifactRemoval(dataSource, access, parts, audit);
    parts.register({
      name: 'threads',
      countFor: async () => ({ sessions: { count: 1, sample: ['About trips'] } }),
      deleteFor: async () => ({ sessions: 1, files: 2 }),
      renamed: async (_id, title) => void renamed.push(title),
    });
  });
  beforeEach(async () => {
    [ownerId, viewerId, strangerId] = [
      await createUserRow(database),
      await createUserRow(database),
      await createUserRow(database),
    ];
    renamed = [];
  });
  afterAll(() => database.drop());

  describe('publishing', () => {
    it('makes the first version, then the next one, and tells of what the queries read', async () => {
      const first = await artifacts.publish(ownerId, draft({ queries: [query()], changeNote: ' First. ' }));
      expect(first).toEqual({
        artifactId: expect.any(String) as string,
        version: 1,
        title: 'Trips',
        kind: 'dashboard',
      });
      const { artifactId } = first;
      const more = draft({ title: 'All trips', kind: 'report', html: '<h1>All</h1>' });
      expect(await artifacts.publish(ownerId, more, { artifactId })).toMatchObject({ version: 2, title: 'All trips' });
      expect(renamed).toEqual(['All trips']);
      expect(await artifacts.get(ownerId, artifactId)).toMatchObject({
        version: 2,
        kind: 'report',
        sources: {},
        createdBy: { userId: ownerId },
      });
      expect(await artifacts.readVersion(artifactId, 1)).toMatchObject({
        html: '<h1>Trips</h1>',
        sources: { 'file:own': { ref: 'file:own', type: 'file', name: 'own.csv' } },
        changeNote: 'First.',
      });
      expect(await artifacts.readVersion(artifactId, null)).toMatchObject({ version: 2, html: '<h1>All</h1>' });
      for (const version of [0, -1, 3, 1e12])
        await expect(artifacts.readVersion(artifactId, version)).rejects.toMatchObject({ code: 'version_not_found' });
    });

    it('under the same key is the same version, also twice at once', async () => {
      const key = newId();
      const made = await Promise.all(
        Array.from({ length: 6 }, () => artifacts.publish(ownerId, draft(), { publishKey: key })),
      );
      expect(new Set(made.map(({ artifactId }) => artifactId)).size).toBe(1);
      expect(made.map(({ version }) => version)).toEqual([1, 1, 1, 1, 1, 1]);
      const { artifactId } = made[0]!;
      const next = await Promise.all(
        [1, 2].map(() => artifacts.publish(ownerId, draft({ html: 'x' }), { artifactId, publishKey: 'again' })),
      );
      expect(next.map(({ version }) => version)).toEqual([2, 2]);
      expect(await versionsOf(artifactId)).toEqual([2, 1]);
    });

    it('by a node of a workflow gives one artifact a version for each run', async () => {
      const artifactKey = newId();
      const publish = (run: string) => artifacts.publish(ownerId, draft(), { artifactKey, publishKey: `${run}:node` });
      const made = await Promise.all(['1', '1', '2', '3'].map(publish));
      expect(new Set(made.map(({ artifactId }) => artifactId)).size).toBe(1);
      expect(made.map(({ version }) => version).toSorted()).toHaveLength(4);
      expect(made[0]!.version).toBe(made[1]!.version);
      expect(await versionsOf(made[0]!.artifactId)).toEqual([3, 2, 1]);
      await removal.delete(actor(), made[0]!.artifactId);
      expect(await publish('4')).toMatchObject({ version: 1 });
    });

    it('by many at once never collides on a number', async () => {
      const { artifactId } = await artifacts.publish(ownerId, draft());
      const made = await Promise.all([
        ...Array.from({ length: 8 }, () => artifacts.publish(ownerId, draft(), { artifactId })),
        ...Array.from({ length: 8 }, () => changes.rename(actor(), artifactId, 'Other')),
        ...Array.from({ length: 8 }, () => changes.restore(actor(), artifactId, 1)),
      ]);
      const numbers = made.map(({ version }) => version).toSorted((a, b) => a - b);
      expect(numbers).toEqual(Array.from({ length: 24 }, (_, index) => index + 2));
      expect(await versionsOf(artifactId)).toHaveLength(25);
    });

    it.each<[string, Partial<ArtifactDraft>]>([
      ['title', { title: '  ' }],
      ['title', { title: 'x'.repeat(201) }],
      ['title', { title: 'a\0b' }],
      ['kind', { kind: 'app' as 'page' }],
      ['html', { html: ' ' }],
      ['html', { html: 'x'.repeat(2 * 1024 * 1024 + 1) }],
      ['html', { html: 'é'.repeat(1024 * 1024 + 1) }],
      ['html', { html: '\ud800' }],
      ['change_note', { changeNote: 'x'.repeat(2001) }],
      ['queries', { queries: [query(), query()] }],
      ['queries', { queries: [query({ name: 'Trips' })] }],
      ['queries', { queries: [query({ name: '__proto__' })] }],
      ['queries', { queries: [query({ sql: ' ' })] }],
      ['queries', { queries: [query({ sql: 'SELECT 1'.padEnd(20_001) + '1' })] }],
      ['queries', { queries: [query({ sourceRef: 'http://x' })] }],
      ['queries', { queries: Array.from({ length: 51 }, (_, index) => query({ name: `q${index}` })) }],
      [
        'queries',
        { queries: Array.from({ length: 6 }, (_, i) => query({ name: `q${i}`, sourceRef: `file:own${i}` })) },
      ],
      ['queries', { queries: Array.from({ length: 4 }, (_, i) => query({ name: `q${i}`, sourceRef: `ds:${i}` })) }],
      ['queries', { queries: [query({ params: [{ name: 'a', type: 'uuid' as 'text' }] })] }],
      ['queries', { queries: [query({ params: [{ name: 'a', type: 'number', default: '1' }] })] }],
      ['queries', { queries: [query({ params: [{ name: 'a', type: 'date', default: '2024-02-30' }] })] }],
      ['queries', { queries: [query({ params: [{ name: 'a b', type: 'text' }] })] }],
      ['queries', { queries: [query({ params: ['text', 'text'].map(() => ({ name: 'a', type: 'text' })) })] }],
    ])('%#: refuses a wrong %s in words', async (field, wrong) => {
      await expect(artifacts.publish(ownerId, draft(wrong))).rejects.toMatchObject({
        code: 'invalid_artifact',
        fields: { [field]: [expect.stringMatching(/^\S.*\.$/)] },
      });
      expect(await artifacts.list(ownerId)).toEqual([]);
    });

    it('takes what is just within the limits, and a day that there is', async () => {
      const params = [
        { name: 'day', type: 'date' as const, default: '2024-02-29' },
        { name: 'city', type: 'text' as const, default: null },
      ];
      const html = 'x'.repeat(2 * 1024 * 1024);
      const { artifactId } = await artifacts.publish(ownerId, draft({ html, queries: [query({ params })] }));
      const kept = await artifacts.readVersion(artifactId, null);
      expect([kept.html === html, kept.queries]).toEqual([true, [query({ params })]]);
    });

    it('stores nothing for a query that does not run, or reads what is not the creator’s', async () => {
      await expect(artifacts.publish(ownerId, draft({ queries: [query({ sql: 'DROP' })] }))).rejects.toMatchObject({
        code: 'invalid_query',
      });
      await expect(artifacts.publish(viewerId, draft({ queries: [query()] }))).rejects.toMatchObject({
        code: 'source_not_found',
      });
      const { artifactId } = await artifacts.publish(ownerId, draft({ queries: [query()] }));
      await expect(artifacts.publish(viewerId, draft(), { artifactId })).rejects.toMatchObject({
        code: 'artifact_not_found',
      });
      await expect(artifacts.publish(ownerId, draft(), { artifactId: 'x' })).rejects.toThrow(NotFoundError);
      await sql('UPDATE users SET is_active = false WHERE id = $1', [ownerId]);
      await expect(artifacts.publish(ownerId, draft())).rejects.toMatchObject({ code: 'permission_denied' });
      expect(await sql('SELECT FROM artifacts WHERE owner_id = ANY($1)', [[ownerId, viewerId]])).toHaveLength(1);
    });

    it('gives nobody more artifacts than the limit', async () => {
      await sql(
        `INSERT INTO artifacts (id, owner_id, title, kind, version)
         SELECT gen_random_uuid(), $1, 'T', 'page', 1 FROM generate_series(1, 1000)`,
        [ownerId],
      );
      await expect(artifacts.publish(ownerId, draft())).rejects.toMatchObject({ code: 'artifact_limit_reached' });
    });
  });

  describe('versions', () => {
    it('are a hundred at most: the oldest that no tile keeps go first', async () => {
      const { artifactId } = await artifacts.publish(ownerId, draft());
      await shelve(artifactId, { version: 1 });
      await shelve(artifactId, { version: 'three' });
      await sql(
        `INSERT INTO artifact_versions (artifact_id, version, title, html)
         SELECT $1, n, 'T', 'x' FROM generate_series(2, 100) n`,
        [artifactId],
      );
      await sql('UPDATE artifacts SET version = 100 WHERE id = $1', [artifactId]);
      await sql(
        `INSERT INTO artifact_results (artifact_id, version, query_name, params_key) VALUES ($1, 2, 'q', ''), ($1, 1, 'q', '')`,
        [artifactId],
      );
      await artifacts.publish(ownerId, draft(), { artifactId });
      await artifacts.publish(ownerId, draft(), { artifactId });
      const kept = await versionsOf(artifactId);
      expect([kept.length, kept.slice(0, 2), kept.slice(-2)]).toEqual([100, [102, 101], [4, 1]]);
      expect(await sql('SELECT version FROM artifact_results WHERE artifact_id = $1', [artifactId])).toEqual([
        { version: 1 },
      ]);
      await expect(changes.restore(actor(), artifactId, 2)).rejects.toMatchObject({ code: 'version_not_found' });

      const [board] = await sql<[{ id: number }]>('SELECT board_id AS id FROM board_tiles WHERE artifact_id = $1', [
        artifactId,
      ]);
      await sql(
        `INSERT INTO board_tiles (board_id, kind, artifact_id, x, y, w, h, settings)
         SELECT $1, 'artifact', artifact_id, 0, 0, 1, 1, jsonb_build_object('version', version)
         FROM artifact_versions WHERE artifact_id = $2`,
        [board.id, artifactId],
      );
      await expect(artifacts.publish(ownerId, draft(), { artifactId })).rejects.toMatchObject({
        code: 'version_limit_reached',
      });
      expect(await versionsOf(artifactId)).toEqual(kept);
    });

    it('are renamed, restored and duplicated byte for byte', async () => {
      const html = '<p>“Ünïcode” \r\n\t</p>\u2028<script>1</script>';
      const { artifactId } = await artifacts.publish(ownerId, draft({ html, queries: [query()] }));
      await artifacts.publish(ownerId, draft({ title: 'Second', html: 'y' }), { artifactId });
      const restored = await changes.restore(actor(), artifactId, 1);
      expect(restored).toEqual({ artifactId, version: 3, title: 'Trips', kind: 'dashboard' });
      const [first, third] = [
        await artifacts.readVersion(artifactId, 1),
        await artifacts.readVersion(artifactId, null),
      ];
      expect(Buffer.from(third.html).equals(Buffer.from(html))).toBe(true);
      expect(third).toEqual({ ...first, version: 3, changeNote: 'Restored version 1.', createdAt: third.createdAt });
      expect(await changes.rename(actor(), artifactId, 'Third')).toMatchObject({ version: 4, title: 'Third' });
      expect(await artifacts.readVersion(artifactId, 4)).toMatchObject({
        html,
        title: 'Third',
        queries: first.queries,
      });
      expect(renamed).toEqual(['Second', 'Trips', 'Third']);
      const copy = await changes.duplicate(actor(), artifactId, null);
      expect(copy).toMatchObject({ title: 'Copy of Third', version: 1, changeNote: 'Copy of “Third”, version 4.' });
      expect(await artifacts.readVersion(copy.id, 1)).toMatchObject({ html, queries: first.queries });
      expect(await changes.duplicate(actor(), artifactId, 'Mine')).toMatchObject({ title: 'Mine', version: 1 });
      expect((await artifacts.list(ownerId)).map(({ title }) => title)).toEqual(['Mine', 'Copy of Third', 'Third']);
      const [newest] = await artifacts.list(ownerId, { limit: 1 });
      expect(await artifacts.list(ownerId, { limit: 1, before: newest!.id })).toMatchObject([{ id: copy.id }]);
    });
  });

  describe('who may', () => {
    it('do what: the creator all, who sees it on a board look, others learn nothing', async () => {
      const { artifactId } = await artifacts.publish(ownerId, draft());
      const tries = async (userId: number) => [
        await access.requireViewer(userId, artifactId).then(() => 'sees', errorCode),
        await access.requireOwner(userId, artifactId).then(() => 'owns', errorCode),
      ];
      expect(await tries(ownerId)).toEqual(['sees', 'owns']);
      const hidden = ['artifact_not_found', 'artifact_not_found'];
      expect(await tries(viewerId)).toEqual(hidden);
      const boardId = await shelve(artifactId);
      await join(boardId, viewerId);
      expect(await tries(viewerId)).toEqual(['sees', 'artifact_not_yours']);
      expect(await tries(strangerId)).toEqual(hidden);
      for (const change of [
        () => changes.rename({ userId: viewerId, username: 'v' }, artifactId, 'T'),
        () => removal.delete({ userId: viewerId, username: 'v' }, artifactId),
      ])
        await expect(change()).rejects.toMatchObject({ code: 'artifact_not_yours' });
      await sql('UPDATE users SET is_active = false WHERE id = $1', [viewerId]);
      expect(await tries(viewerId)).toEqual(hidden);
      await sql('UPDATE users SET is_active = true WHERE id = $1', [viewerId]);
      await sql('UPDATE users SET is_active = false WHERE id = $1', [ownerId]);
      expect([await tries(viewerId), await tries(ownerId)]).toEqual([hidden, hidden]);
      await sql('UPDATE users SET is_active = true WHERE id = $1', [ownerId]);
      await sql('DELETE FROM board_collaborators WHERE board_id = $1', [boardId]);
      expect(await tries(viewerId)).toEqual(hidden);
      await sql('UPDATE boards SET owner_id = $2 WHERE id = $1', [boardId, viewerId]);
      // The creator takes no part in that board, or no more.
      expect(await tries(viewerId)).toEqual(hidden);
      await join(boardId, ownerId);
      expect(await tries(viewerId)).toEqual(['sees', 'artifact_not_yours']);
      for (const unknown of [newId(), 'x', '', '1'])
        await expect(access.requireViewer(ownerId, unknown)).rejects.toMatchObject({ code: 'artifact_not_found' });
    });
  });

  describe('deletion', () => {
    it('tells beforehand what goes, and counts what went: boards stay', async () => {
      const { artifactId } = await artifacts.publish(ownerId, draft({ queries: [query()] }));
      await changes.rename(actor(), artifactId, 'Other');
      const [one, theirs] = [await shelve(artifactId), await shelve(artifactId, {}, strangerId)];
      await sql(
        `INSERT INTO board_tiles (board_id, kind, artifact_id, x, y, w, h) VALUES ($1, 'artifact', $2, 1, 1, 1, 1)`,
        [one, artifactId],
      );
      await sql(
        `INSERT INTO permanent_links (uid, owner_id, media_path, name, artifact_uid, token_hash, token_sealed)
         VALUES ($1, $2, $3, 'N', $4, $5, '')`,
        [newId(), ownerId, `/artifacts/${artifactId}/public/`, artifactId, Buffer.from(artifactId)],
      );
      expect(await removal.report(ownerId, artifactId)).toEqual({
        versions: 2,
        queries: 1,
        // The name of somebody else's board is theirs.
        tiles: { count: 3, boards: [{ id: one, name: 'B' }] },
        links: { count: 1 },
        sessions: { count: 1, sample: ['About trips'] },
        files: { count: 0, bytes: 0 },
      });
      const tries = await Promise.allSettled([1, 2].map(() => removal.delete(actor(), artifactId)));
      const done = tries.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
      expect(done).toEqual([{ versions: 2, queries: 1, tiles: 3, boards: 2, sessions: 1, files: 2 }]);
      expect(tries.flatMap((each) => (each.status === 'rejected' ? [errorCode(each.reason)] : []))).toEqual([
        'artifact_not_found',
      ]);
      expect(await sql(`SELECT id, revision FROM boards WHERE id = ANY($1) ORDER BY id`, [[one, theirs]])).toEqual(
        [one, theirs].toSorted((a, b) => a - b).map((id) => ({ id, revision: 1 })),
      );
      for (const table of ['artifact_versions', 'board_tiles'])
        expect(await sql(`SELECT FROM ${table} WHERE artifact_id = $1`, [artifactId])).toEqual([]);
      expect(await sql('SELECT FROM permanent_links WHERE artifact_uid = $1', [artifactId])).toEqual([]);
    });
  });
});

const errorCode = (error: { code: string }) => error.code;
