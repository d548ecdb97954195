import { randomBytes } from 'node:crypto';
import { newId } from '@app/common';
import { DocumentLifecycle, DocumentsModule, DocumentStore, FileScreening } from '@app/documents';
import { LooseFiles } from '@app/entitlements';
import { DatabaseModule } from '@app/entities';
import { EntitlementsModule, StorageQuota } from '@app/entitlements';
import type { ErasureRegistry } from '@app/erasure';
import { FileStorage, IntegrationsModule, MailTransport, SmsTransport } from '@app/integrations';
import { LiveModule } from '@app/live';
import { Messages, MessagesModule, MessagesOfAccount } from '@app/messages';
import { QueuesModule } from '@app/queues';
import { WorkModule } from '@app/work';
import { SecretsModule } from '@app/secrets';
import { Test, type TestingModule } from '@nestjs/testing';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type NewMail, ToolError } from '@app/workflow-definition';
import { OwnedMessages } from '../../apps/workflow-runner/src/accounts/owned-messages.js';
import { DocumentLibrary } from '../../apps/workflow-runner/src/ports/document-library.port.js';
import { QueuedMail } from '../../apps/workflow-runner/src/ports/queued-mail.port.js';
import { ReadableFiles } from '../../apps/workflow-runner/src/ports/readable-files.js';
import { WrittenFiles } from '../../apps/workflow-runner/src/ports/written-files.js';
import { testConfig } from '../support/config.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { createUser } from '../support/workflows.js';

const { signal } = new AbortController();

async function codeOf(work: Promise<unknown>): Promise<string> {
  const error = await work.then(
    () => null,
    (reason: unknown) => reason,
  );
  if (!(error instanceof ToolError)) throw new Error(`No ToolError: ${String(error)}`);
  return error.code;
}

const mailTo = (to: string[], more: Partial<NewMail> = {}): NewMail => ({
  to,
  cc: [],
  bcc: [],
  subject: 'Hello',
  text: 'Text',
  html: '',
  replyTo: '',
  attachments: [],
  ...more,
});

describe('the ports of tools, on real servers', () => {
  let database: TestDatabase;
  let module: TestingModule;
  let folder: string;
  let files: ReadableFiles;
  let written: WrittenFiles;
  let library: DocumentLibrary;

  beforeAll(async () => {
    database = await createTestDatabase();
    folder = await mkdtemp(join(tmpdir(), 'atrium-ports-'));
    const config = testConfig(database.url, { STORAGE_DIR: folder, OUTBOX_DIR: join(folder, 'outbox') });
    module = await Test.createTestingModule({
      imports: [
        DatabaseModule.forRoot(config, 'test'),
        WorkModule.forRoot(config, 'test'),
        QueuesModule.forRoot(config),
        LiveModule.forRoot(config),
        IntegrationsModule.forRoot(config),
        SecretsModule.forRoot(config),
        EntitlementsModule.forRoot(config),
        MessagesModule,
        DocumentsModule,
      ],
    }).compile();
    module.useLogger(false);
    await module.init();
    const { dataSource } = database;
    const storage = module.get(FileStorage);
    const quota = module.get(StorageQuota);
    files = new ReadableFiles(dataSource, storage);
    written = new WrittenFiles(dataSource, storage, module.get(LooseFiles), quota);
    library = new DocumentLibrary(
      dataSource,
      module.get(DocumentStore),
      module.get(DocumentLifecycle),
      module.get(FileScreening),
      quota,
      storage,
      files,
    );
  });
  afterAll(async () => {
    await module.close();
    await database.drop();
    await rm(folder, { recursive: true, force: true });
  });

  const mailOf = (mailsPerDay: number) =>
    new QueuedMail(database.dataSource, module.get(Messages), files, module.get(FileStorage), module.get(LooseFiles), {
      mailsPerDay,
    });
  const sentBy = async (userId: number) => {
    const rows = await database.dataSource.query<{ recipient: string }[]>(
      'SELECT recipient FROM outgoing_messages WHERE user_id = $1 ORDER BY recipient',
      [userId],
    );
    return rows.map(({ recipient }) => recipient);
  };
  const add = (userId: number, file: string, key: string, more: { folder?: string; filename?: string } = {}) =>
    library.add(
      { userId },
      { file, filename: more.filename ?? null, folder: more.folder ?? '', ocr: false, idempotencyKey: key },
      signal,
    );
  const write = (userId: number, name: string, text: string) =>
    written.write(
      { userId },
      { name, mimeType: 'text/plain', content: Buffer.from(text), idempotencyKey: randomBytes(8).toString('hex') },
      signal,
    );

  describe('mails', () => {
    it('are queued once per key and recipient, however many ask at once', async () => {
      const userId = await createUser(database.dataSource);
      const mail = mailOf(100);
      const send = () =>
        mail.send({ userId }, mailTo(['a@x.example', 'b@x.example'], { bcc: ['A@X.example'] }), {
          idempotencyKey: `run-${userId}:node`,
          signal,
        });
      const results = await Promise.all(Array.from({ length: 8 }, send));
      expect(results).toEqual(results.map(() => ({ recipients: 2 })));
      expect(await sentBy(userId)).toEqual(['a@x.example', 'b@x.example']);
      await mail.send({ userId }, mailTo(['a@x.example']), { idempotencyKey: `run-${userId}:other`, signal });
      expect(await sentBy(userId)).toHaveLength(3);
    });

    it('are no more in a day than allowed, however many ask at once; tomorrow there are others', async () => {
      const userId = await createUser(database.dataSource);
      const mail = mailOf(5);
      const send = (name: string) =>
        mail.send({ userId }, mailTo([`${name}@x.example`]), { idempotencyKey: `${userId}:${name}`, signal });
      const tries = await Promise.allSettled(Array.from({ length: 12 }, (_, index) => send(`p${index}`)));
      expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(5);
      expect(await codeOf(send('late'))).toBe('mail_limit_reached');
      const neighbour = await createUser(database.dataSource);
      await mail.send({ userId: neighbour }, mailTo(['n@x.example']), { idempotencyKey: `${neighbour}:n`, signal });
      await database.dataSource.query(
        `UPDATE outgoing_messages SET created_at = now() - interval '25 hours' WHERE user_id = $1`,
        [userId],
      );
      await send('tomorrow');
      expect(await sentBy(userId)).toHaveLength(6);
    });

    it('carry copies of their files, of the sender alone, for as long as the queue may need them', async () => {
      const userId = await createUser(database.dataSource);
      const stranger = await createUser(database.dataSource);
      const { mediaPath } = await write(userId, 'note.txt', 'attached');
      const withFile = mailTo(['a@x.example'], { attachments: [mediaPath] });
      const foreign = mailOf(9).send({ userId: stranger }, withFile, { idempotencyKey: `${stranger}:f`, signal });
      expect(await codeOf(foreign)).toBe('file_not_found');
      expect(await sentBy(stranger)).toEqual([]);
      await mailOf(9).send({ userId }, withFile, { idempotencyKey: `${userId}:f`, signal });
      const kept = await database.dataSource.query<{ key: string; hours: number }[]>(
        `SELECT storage_key AS key, extract(epoch FROM removable_at - now()) / 3600 AS hours FROM loose_files
         WHERE storage_key LIKE 'mail/%'`,
      );
      expect(kept).toHaveLength(1);
      expect(Number(kept[0]!.hours)).toBeGreaterThan(40);
      const { stream } = await module.get(FileStorage).open(kept[0]!.key);
      const chunks: Buffer[] = [];
      for await (const chunk of stream as AsyncIterable<Buffer>) chunks.push(chunk);
      expect(Buffer.concat(chunks).toString()).toBe('attached');
      const sealed = await database.dataSource.query<{ row: string }[]>(
        'SELECT m::text AS row FROM outgoing_messages m WHERE user_id = $1',
        [userId],
      );
      expect(JSON.stringify(sealed)).not.toMatch(/Hello|note\.txt/);
      const owned = new OwnedMessages(
        { register: () => undefined } as unknown as ErasureRegistry,
        new MessagesOfAccount(database.dataSource),
        module.get(MailTransport),
        module.get(SmsTransport),
      );
      await database.dataSource.transaction((tx) => owned.deleteSome(userId, tx));
      expect(await sentBy(userId)).toEqual([]);
      await module.get(LooseFiles).removeDue();
      expect(await module.get(FileStorage).stat(kept[0]!.key)).toBeNull();
    });

    it('go out for active accounts only', async () => {
      const userId = await createUser(database.dataSource);
      await database.dataSource.query('UPDATE users SET is_active = false WHERE id = $1', [userId]);
      const send = mailOf(9).send({ userId }, mailTo(['a@x.example']), { idempotencyKey: `${userId}:i`, signal });
      expect(await codeOf(send)).toBe('account_inactive');
    });
  });

  describe('files', () => {
    it('are found by every name that they have, by their owner alone', async () => {
      const userId = await createUser(database.dataSource);
      const stranger = await createUser(database.dataSource);
      const { mediaPath, path } = await write(userId, 'folder/note.txt', 'content');
      for (const name of [mediaPath, `${mediaPath}?exp=1&sig=x`, path, mediaPath.slice(1), ` ${path} `]) {
        const found = await files.find({ userId }, name);
        expect(found).toMatchObject({ name: 'note.txt', mimeType: 'text/plain', sizeBytes: 7 });
        expect(await codeOf(files.find({ userId: stranger }, name))).toBe('file_not_found');
      }
      for (const name of [
        '',
        '../etc/passwd',
        '/etc/passwd',
        '/media/written/x/y',
        newId(),
        'a\0b',
        '%00',
        "' OR 1=1 --",
      ])
        expect(await codeOf(files.find({ userId }, name))).toBe('file_not_found');
    });
  });

  describe('documents', () => {
    it('are added once per key, and counted once', async () => {
      const userId = await createUser(database.dataSource);
      const { mediaPath } = await write(userId, 'plan.txt', 'the plan');
      const tries = await Promise.allSettled(Array.from({ length: 4 }, () => add(userId, mediaPath, `${userId}:k`)));
      expect(tries.some(({ status }) => status === 'fulfilled')).toBe(true);
      const again = await add(userId, mediaPath, `${userId}:k`);
      const rows = await database.dataSource.query<{ uid: string }[]>('SELECT uid FROM documents WHERE owner_id = $1', [
        userId,
      ]);
      expect(rows).toEqual([{ uid: again.documentUid }]);
      expect(await module.get(StorageQuota).usageOf(userId)).toMatchObject({ used: 16, reserved: 0 });
      expect(await files.find({ userId }, again.documentUid)).toMatchObject({ name: 'plan.txt', sizeBytes: 8 });
    });

    it('are screened like every upload', async () => {
      const userId = await createUser(database.dataSource);
      const { mediaPath } = await write(userId, 'evil.exe', 'MZ');
      expect(await codeOf(add(userId, mediaPath, `${userId}:exe`))).toMatch(/upload/);
      expect(await codeOf(add(userId, mediaPath, `${userId}:pdf`, { filename: 'a.pdf' }))).toMatch(/upload/);
      expect(await codeOf(add(userId, mediaPath, `${userId}:dots`, { folder: '../x' }))).toBe('invalid');
      expect(await module.get(StorageQuota).usageOf(userId)).toMatchObject({ used: 2, reserved: 0 });
    });

    it('are listed to who may read them', async () => {
      const userId = await createUser(database.dataSource);
      const stranger = await createUser(database.dataSource);
      const { mediaPath } = await write(userId, 'a.txt', 'text');
      const first = await add(userId, mediaPath, `${userId}:1`, { folder: 'in/june', filename: 'June 100%.txt' });
      await add(userId, mediaPath, `${userId}:2`, { filename: 'other.txt' });
      const names = async (viewer: number, filter: object) =>
        (await library.list({ userId: viewer }, { limit: 10, ...filter })).map(({ filename }) => filename);
      expect(await names(userId, {})).toEqual(['other.txt', 'June 100%.txt']);
      expect(await names(userId, { folder: '/in/' })).toEqual(['June 100%.txt']);
      expect(await names(userId, { name: 'JUNE' })).toEqual(['June 100%.txt']);
      expect(await names(userId, { name: '0%' })).toEqual(['June 100%.txt']);
      expect(await names(userId, { name: 'a\0b' })).toEqual([]);
      expect(await names(userId, { tag: 'x' })).toEqual([]);
      expect(await names(userId, { createdFrom: '2999-01-01' })).toEqual([]);
      expect(await names(userId, { limit: 1 })).toEqual(['other.txt']);
      expect(await codeOf(library.list({ userId }, { limit: 1, folder: '..' }))).toBe('invalid');
      expect(await names(stranger, {})).toEqual([]);
      await module.get(DocumentStore).share({ uid: first.documentUid, ownerId: userId } as never, stranger);
      expect(await names(stranger, {})).toEqual(['June 100%.txt']);
    });

    it('are recognised anew once, when they rest, at the wish of their owner', async () => {
      const userId = await createUser(database.dataSource);
      const reader = await createUser(database.dataSource);
      const { mediaPath } = await write(userId, 'scan.txt', 'text');
      const { documentUid: uid } = await add(userId, mediaPath, `${userId}:scan`);
      const state = async () => {
        const [row] = await database.dataSource.query<{ ocr: boolean; state: string; attempt: number }[]>(
          'SELECT ocr, processing_state AS state, attempt FROM documents WHERE uid = $1',
          [uid],
        );
        return row!;
      };
      expect(await codeOf(library.recognise({ userId: reader }, uid))).toBe('document_not_found');
      await library.recognise({ userId }, uid);
      // It is waiting for its first reading: that goes on as it is.
      expect(await state()).toMatchObject({ ocr: false, attempt: 0 });
      expect(await library.text({ userId }, uid)).toMatchObject({ state: 'working' });
      await database.dataSource.query(`UPDATE documents SET processing_state = 'completed' WHERE uid = $1`, [uid]);
      expect(await library.text({ userId }, uid)).toMatchObject({ state: 'ready', pages: [], ocr: false });
      await database.dataSource.query('INSERT INTO document_shares (document_uid, user_id) VALUES ($1, $2)', [
        uid,
        reader,
      ]);
      expect(await codeOf(library.recognise({ userId: reader }, uid))).toBe('not_document_owner');
      await Promise.all(Array.from({ length: 4 }, () => library.recognise({ userId }, mediaPathOf(uid))));
      expect(await state()).toMatchObject({ ocr: true, attempt: 1 });
      await database.dataSource.query(
        `UPDATE documents SET processing_state = 'failed', last_error = 'No.' WHERE uid = $1`,
        [uid],
      );
      expect(await library.text({ userId }, uid)).toEqual({ state: 'failed', detail: 'No.' });
      await library.recognise({ userId }, uid);
      expect(await state()).toMatchObject({ attempt: 1 });
    });
  });
});

const mediaPathOf = (uid: string) => `/media/documents/${uid}/scan.txt`;
