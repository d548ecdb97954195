import { DocumentLifecycle, DocumentSharing, mirrorWork, sealSourceSecret, ShareMirrors } from '@app/documents';
import { ExternalSharing, SourceError, type ExternalReader, type SourceAccess } from '@app/integrations';
import { newId } from '@app/common';
import { SealingService } from '@app/secrets';
import { ClaimLostError, WorkClaims, WorkPerformer } from '@app/work';
import { MirrorShareProcessor } from '../../apps/indexer/src/sharing/mirror-share.processor.js';
import { startApi, type TestApi } from '../support/api.js';
import type { HttpClient } from '../support/http-client.js';
import { addIndexedDocument } from '../support/retrieval.js';
import { until } from '../support/until.js';

/** A drive that remembers who may read what, and fails when it is told to. */
class Drive extends ExternalSharing {
  readonly grants = new Map<string, string>();
  readonly calls: string[] = [];
  sources: (SourceAccess | null)[] = [];
  failure: Error | null = null;
  supported = true;
  beforeAnswer: () => Promise<void> = async () => {};

  supports(): boolean {
    return this.supported;
  }

  async share({ itemId, email, source }: ExternalReader): Promise<string> {
    this.calls.push(`share ${itemId} ${email}`);
    this.sources.push(source);
    await this.beforeAnswer();
    if (this.failure) throw this.failure;
    const handle = `grant-${this.calls.length}`;
    this.grants.set(handle, email);
    return handle;
  }

  async unshare({ itemId, email }: ExternalReader, handle: string | null): Promise<void> {
    this.calls.push(`unshare ${itemId} ${handle ?? email}`);
    await this.beforeAnswer();
    if (this.failure) throw this.failure;
    if (handle !== null) this.grants.delete(handle);
    else for (const [known, whose] of this.grants) if (whose === email) this.grants.delete(known);
  }

  readers(): string[] {
    return [...this.grants.values()].toSorted();
  }
}

describe('sharing of documents from an external drive', () => {
  let api: TestApi;
  let owner: HttpClient;
  let reader: HttpClient;
  let drive: Drive;
  let processor: MirrorShareProcessor;
  let mirrors: ShareMirrors;
  let sharing: DocumentSharing;
  const sql = <T>(text: string, values: unknown[] = []) => api.database.dataSource.query<T>(text, values);
  const idOf = async ({ username }: HttpClient) =>
    (await sql<[{ id: number }]>('SELECT id FROM users WHERE username = $1', [username]))[0].id;
  const mail = () => `${reader.username}@test.example`;

  beforeAll(async () => {
    api = await startApi();
    [owner, reader] = (await Promise.all([api.signUp(), api.signUp()])) as [HttpClient, HttpClient];
    mirrors = api.app.get(ShareMirrors);
    sharing = api.app.get(DocumentSharing, { strict: false });
  });
  afterAll(() => api.stop());
  beforeEach(() => {
    drive = new Drive();
    processor = newProcessor();
  });
  afterEach(async () => {
    await sql('DELETE FROM documents');
    await sql('DELETE FROM document_share_mirrors');
  });

  const newProcessor = () => new MirrorShareProcessor(mirrors, drive, api.app.get(SealingService));
  const actor = async () => ({ userId: await idOf(owner), username: owner.username });
  const imported = async (itemId = 'item-1') => {
    const uid = await addIndexedDocument(api.database.dataSource, { ownerId: await idOf(owner), pages: ['Text.'] });
    await sql('UPDATE documents SET from_dms = true, external_drive_item_id = $2 WHERE uid = $1', [uid, itemId]);
    return uid;
  };
  const share = async (uid: string) => sharing.add(await actor(), uid, [mail()]);
  const unshare = async (uid: string) => sharing.remove(await actor(), uid, [mail()]);
  const rows = () =>
    sql<{ id: number; due: boolean; last_error: string; attempts: number; wanted: boolean }[]>(
      `SELECT id, next_attempt_at IS NOT NULL AS due, last_error, attempts, wanted FROM document_share_mirrors ORDER BY id`,
    );
  const listDue = async () =>
    (await sql<{ id: number }[]>('SELECT id FROM document_share_mirrors WHERE next_attempt_at <= now()')).map(
      ({ id }) => String(id),
    );
  const mirror = (id: string, by = processor) =>
    api.app.get(WorkPerformer).perform(mirrorWork, [id], (claim, signal) => by.mirror(claim, signal));
  /** As jobs and the sweeper do it. */
  const work = async () => {
    for (let due = await listDue(); due.length > 0; due = await listDue()) {
      const done = await Promise.all(due.map((id) => mirror(id)));
      if (!done.includes(true)) return;
    }
  };
  const makeDue = () =>
    sql(
      `UPDATE document_share_mirrors SET next_attempt_at = now(), leased_until = NULL WHERE next_attempt_at IS NOT NULL`,
    );

  it('is repeated there, and taken back', async () => {
    const uid = await imported();
    await share(uid);
    await work();
    expect(drive.calls).toEqual([`share item-1 ${mail()}`]);
    expect(await rows()).toMatchObject([{ due: false, last_error: '', attempts: 0 }]);
    await share(uid);
    await work();
    await unshare(uid);
    await work();
    expect(drive.calls).toEqual([`share item-1 ${mail()}`, 'unshare item-1 grant-1']);
    expect(drive.readers()).toEqual([]);
    expect(await rows()).toEqual([]);
  });

  it('adds jobs for the workers', async () => {
    const uid = await imported();
    await share(uid);
    const { id } = (await rows())[0]!;
    await until(async () => {
      const left = await sql<unknown[]>(`SELECT FROM outbox_messages WHERE job = 'mirror-share'`);
      return left.length === 0;
    });
    expect(id).toBeGreaterThan(0);
  });

  it('concerns nothing that was uploaded by hand', async () => {
    const uid = await addIndexedDocument(api.database.dataSource, { ownerId: await idOf(owner), pages: ['Text.'] });
    await share(uid);
    expect(await rows()).toEqual([]);
  });

  it('does nothing where the drive is not one that can be shared in', async () => {
    drive.supported = false;
    const uid = await imported();
    await share(uid);
    await work();
    await unshare(uid);
    await work();
    expect(drive.calls).toEqual([]);
    expect(await rows()).toEqual([]);
  });

  it('follows a purge and an approved request too', async () => {
    const uid = await imported('item-2');
    const path = `/media/documents/${uid}/note.txt`;
    const { request } = await reader.post<{ request: { id: number } }>('/semantic-search/documents/request/', { path });
    await owner.post('/semantic-search/documents/approve/', request);
    await work();
    expect(drive.readers()).toEqual([mail()]);
    await api.app.get(DocumentLifecycle).purge([uid], await idOf(owner));
    await work();
    expect(drive.readers()).toEqual([]);
    expect(await rows()).toEqual([]);
  });

  it('survives a drive that is away: tries again, later and later, and gets there', async () => {
    drive.failure = new SourceError('unavailable', 'The drive is out of order.');
    const uid = await imported();
    await share(uid);
    await work();
    expect(await rows()).toMatchObject([{ due: true, attempts: 1, last_error: 'The drive is out of order.' }]);
    expect(await listDue()).toEqual([]);
    drive.failure = new Error('socket hang up');
    await makeDue();
    await work();
    expect(await rows()).toMatchObject([{ attempts: 2, last_error: 'The drive did not answer.' }]);
    const [{ wait }] = await sql<[{ wait: number }]>(
      'SELECT extract(epoch FROM next_attempt_at - now())::float AS wait FROM document_share_mirrors',
    );
    expect(wait).toBeGreaterThan(100);
    drive.failure = new SourceError('throttled', 'Patience.', { retryAfterSeconds: 7 });
    await makeDue();
    await work();
    const [throttled] = await sql<[{ wait: number }]>(
      'SELECT extract(epoch FROM next_attempt_at - now())::float AS wait FROM document_share_mirrors',
    );
    expect(throttled.wait).toBeLessThan(8);
    drive.failure = null;
    await makeDue();
    await work();
    expect(drive.readers()).toEqual([mail()]);
    expect(await rows()).toMatchObject([{ due: false, attempts: 0, last_error: '' }]);
    expect((await owner.get<unknown[]>('/semantic-search/documents/')).length).toBe(1);
  });

  it('is at peace with an item that is gone', async () => {
    drive.failure = new SourceError('not_found', 'It does not exist any more.');
    const uid = await imported();
    await share(uid);
    await work();
    expect(await rows()).toMatchObject([{ due: false, last_error: '' }]);
  });

  it('takes back what a worker had shared that died before it could write so', async () => {
    const uid = await imported();
    await share(uid);
    const { id } = (await rows())[0]!;
    const claim = await api.app.get(WorkClaims).claim(mirrorWork, [String(id)]);
    await drive.share({ source: null, itemId: 'item-1', email: claim!.row.email });
    await unshare(uid);
    await makeDue();
    await work();
    expect(drive.readers()).toEqual([]);
    expect(await rows()).toEqual([]);
    await expect(mirrors.settle(claim!, 'late')).rejects.toThrow(ClaimLostError);
  });

  it('ends where the last change pointed, whatever came while the drive was asked', async () => {
    const uid = await imported();
    await share(uid);
    let changes = 0;
    drive.beforeAnswer = async () => {
      changes += 1;
      if (changes === 1) await unshare(uid);
      if (changes === 2) await share(uid);
    };
    await Promise.all([work(), work(), work()]);
    await work();
    expect(drive.readers()).toEqual([mail()]);
    expect(drive.calls.map((call) => call.split(' ')[0])).toEqual(['share', 'unshare', 'share']);
    expect(await rows()).toMatchObject([{ due: false, wanted: true }]);
  });

  it('asks the drive once, however many workers take the job', async () => {
    const uid = await imported();
    await share(uid);
    drive.beforeAnswer = () => new Promise((resolve) => setTimeout(resolve, 50));
    const { id } = (await rows())[0]!;
    await Promise.all(Array.from({ length: 6 }, () => mirror(String(id), newProcessor())));
    expect(drive.calls).toHaveLength(1);
  });

  it('opens the source with its secret, and waits when that cannot be opened', async () => {
    const uid = await imported();
    const sourceId = newId();
    const sealing = api.app.get(SealingService);
    await sql(
      `INSERT INTO external_sources (id, owner_id, type, name, config, secret_sealed) VALUES ($1, $2, 'sharepoint', 'S', '{"drive_id":"d"}', $3)`,
      [sourceId, await idOf(owner), sealSourceSecret(sealing, sourceId, 'hush')],
    );
    await sql(
      `INSERT INTO external_items (source_id, item_id, name, document_uid, state, seen_run) VALUES ($1, '01ABC', 'n', $2, 'imported', 1)`,
      [sourceId, uid],
    );
    await share(uid);
    await work();
    expect(drive.calls).toEqual([`share 01ABC ${mail()}`]);
    expect(drive.sources).toEqual([{ type: 'sharepoint', config: { drive_id: 'd' }, secret: 'hush' }]);
    await sql(`UPDATE external_sources SET secret_sealed = '\\x00' WHERE id = $1`, [sourceId]);
    await unshare(uid);
    await work();
    expect(await rows()).toMatchObject([{ due: true, last_error: 'The secret of the source has to be given anew.' }]);
    await sql('DELETE FROM external_sources WHERE id = $1', [sourceId]);
    expect(await rows()).toEqual([]);
  });
});
