import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  DerivedTexts,
  DocumentReplacement,
  DocumentsModule,
  DocumentStore,
  type AddedDocument,
  type NewDocument,
} from '@app/documents';
import { forgetSummary } from '@app/retrieval';
import type { QueueName } from '@app/contracts';
import { DatabaseModule } from '@app/entities';
import { IntegrationsModule } from '@app/integrations';
import { QueuesModule } from '@app/queues';
import { WorkModule } from '@app/work';
import { type DynamicModule, type INestApplicationContext, Module, type Provider } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { testConfig } from './config.js';
import type { TestDatabase } from './database.js';

export interface DocumentsApp {
  app: INestApplicationContext;
  folder: string;
  /** Adds a text file as the store does it for an upload. */
  add(overrides?: Partial<NewDocument>, text?: string): Promise<AddedDocument>;
  close(): Promise<void>;
}

/** A user of the test's own, without a way to sign in. */
export async function createUserRow(database: TestDatabase): Promise<number> {
  const name = `user-${randomBytes(6).toString('hex')}`;
  const [row] = await database.dataSource.query<[{ id: number }]>(
    'INSERT INTO users (username, email) VALUES ($1, $2) RETURNING id',
    [name, `${name}@example.com`],
  );
  return row.id;
}

/** The document store on real servers, without an api or an indexer around it. */
export async function startDocuments(
  database: TestDatabase,
  ownerId: number,
  {
    env = {},
    providers = [],
    imports = [],
    consumes = {},
  }: {
    env?: Record<string, string>;
    providers?: Provider[];
    imports?: DynamicModule[];
    consumes?: Partial<Record<QueueName, number>>;
  } = {},
): Promise<DocumentsApp> {
  const folder = await mkdtemp(join(tmpdir(), 'atrium-documents-'));
  const config = testConfig(database.url, { STORAGE_DIR: join(folder, 'files'), ...env });
  @Module({
    imports: [
      DatabaseModule.forRoot(config, 'test'),
      WorkModule.forRoot(config, 'test'),
      QueuesModule.forRoot(config, { consumes }),
      IntegrationsModule.forRoot(config),
      DocumentsModule,
      ...imports,
    ],
    providers: [
      { provide: DerivedTexts, useValue: { forget: forgetSummary } satisfies DerivedTexts },
      DocumentReplacement,
      ...providers,
    ],
  })
  class App {}
  const app = await NestFactory.createApplicationContext(App, { logger: false });
  return {
    app,
    folder,
    async add(overrides = {}, text = 'The meeting is on Tuesday.') {
      const sourcePath = join(folder, `upload-${randomBytes(6).toString('hex')}`);
      await writeFile(sourcePath, text);
      return app.get(DocumentStore).add({
        ownerId,
        folder: '',
        filename: 'note.txt',
        sourcePath,
        kind: 'text',
        mimeType: 'text/plain',
        ocr: false,
        train: true,
        externalDriveItemId: null,
        ...overrides,
      });
    },
    async close() {
      await app.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
