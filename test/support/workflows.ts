import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseModule } from '@app/entities';
import { chartsOfWorkflow } from '@app/artifacts';
import { tablesOfWorkflow } from '@app/extraction';
import { EntitlementsModule } from '@app/entitlements';
import { IntegrationsModule } from '@app/integrations';
import { LiveModule } from '@app/live';
import { QueuesModule } from '@app/queues';
import { WorkModule } from '@app/work';
import { SecretsModule } from '@app/secrets';
import { toolCatalogue } from '@app/workflow-tools';
import { WorkflowEditor, WorkflowReader, WorkflowsModule } from '@app/workflows';
import { Test, type TestingModule } from '@nestjs/testing';
import type { DataSource } from 'typeorm';
import { testConfig } from './config.js';

/** The workflow lib on real servers, without an app around it: nobody consumes its jobs. */
export async function startWorkflows(
  databaseUrl: string,
  overrides: Record<string, string> = {},
): Promise<TestingModule> {
  const config = testConfig(databaseUrl, { STORAGE_DIR: join(tmpdir(), 'atrium-workflows'), ...overrides });
  const module = await Test.createTestingModule({
    imports: [
      DatabaseModule.forRoot(config, 'test'),
      WorkModule.forRoot(config, 'test'),
      QueuesModule.forRoot(config),
      LiveModule.forRoot(config),
      IntegrationsModule.forRoot(config),
      SecretsModule.forRoot(config),
      EntitlementsModule.forRoot(config),
      WorkflowsModule.forRoot(config, toolCatalogue, [tablesOfWorkflow, chartsOfWorkflow]),
    ],
  }).compile();
  module.useLogger(false);
  return module.init();
}

/** An account of the test's own. @returns its id. */
export async function createUser(dataSource: DataSource): Promise<number> {
  const name = `u${randomBytes(6).toString('hex')}`;
  const [row] = await dataSource.query<{ id: number }[]>(
    'INSERT INTO users (username, email) VALUES ($1, $2) RETURNING id',
    [name, `${name}@test.example`],
  );
  return row!.id;
}

/** start -> left, right -> join: the workflow of the bars. */
export const fanOutAndJoin = {
  name: 'Fan out and join',
  version: '1',
  entry: ['start'],
  nodes: [
    { id: 'start', kind: 'webhook_trigger', params: {}, next: ['left', 'right'] },
    { id: 'left', kind: 'template', params: { template: 'left {{_webhook_payload.n}}' }, next: ['join'] },
    { id: 'right', kind: 'template', params: { template: 'right {{_webhook_payload.n}}' }, next: ['join'] },
    {
      id: 'join',
      kind: 'merge',
      params: { values: [{ $ref: '_output.left.text' }, { $ref: '_output.right.text' }] },
      next: [],
      save_output: true,
    },
  ],
  edges: [],
};

export interface CreatedWorkflow {
  id: string;
  ownerId: number;
  webhookId: string;
  webhookSecret: string;
}

export async function createWorkflow(module: TestingModule, ownerId: number, spec: unknown): Promise<CreatedWorkflow> {
  const id = await module.get(WorkflowEditor).create(ownerId, spec, {});
  const { webhookId, webhookSecret } = await module.get(WorkflowReader).getDetail(ownerId, id);
  return { id, ownerId, webhookId, webhookSecret };
}
