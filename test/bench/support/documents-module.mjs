// The document store on real servers, without an app around it.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DocumentsModule, DocumentStore } from '@app/documents';
import { DatabaseModule } from '@app/entities';
import { IntegrationsModule } from '@app/integrations';
import { QueuesModule } from '@app/queues';
import { WorkModule } from '@app/work';
import { Test } from '@nestjs/testing';

const { testConfig } = await import('../../support/config.ts');

/** @returns the container, `add()`, which stores a small text file as an upload does, and `close()` */
export async function startDocuments(databaseUrl, ownerId) {
  const folder = await mkdtemp(join(tmpdir(), 'atrium-growth-'));
  const config = testConfig(databaseUrl, { STORAGE_DIR: join(folder, 'files') });
  const module = await Test.createTestingModule({
    imports: [
      DatabaseModule.forRoot(config, 'bench'),
      WorkModule.forRoot(config, 'bench'),
      QueuesModule.forRoot(config),
      IntegrationsModule.forRoot(config),
      DocumentsModule,
    ],
  }).compile();
  module.useLogger(false);
  await module.init();
  let added = 0;
  return {
    module,
    async add() {
      added += 1;
      const sourcePath = join(folder, `upload-${added}`);
      await writeFile(sourcePath, 'The meeting is on Tuesday.');
      const file = { filename: `note ${added}.txt`, folder: '', sourcePath, kind: 'text', mimeType: 'text/plain' };
      const choices = { ocr: false, train: true, externalDriveItemId: null };
      return module.get(DocumentStore).add({ ownerId, ...file, ...choices });
    },
    async close() {
      await module.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
