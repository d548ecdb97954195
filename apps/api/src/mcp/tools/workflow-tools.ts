import { createHash } from 'node:crypto';
import { AuditLog } from '@app/audit';
import { IdempotencyStore } from '@app/auth';
import { readPayload } from '@app/workflow-definition';
import { RunControl, WorkflowAccess, WorkflowReader } from '@app/workflows';
import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { runShape, RunViews } from './run-views.js';
import { defineMcpTool, type McpTool, READS, type ToolCall } from './tool.js';

const MAX_WAIT_SECONDS = 60;

interface Wanted {
  workflow_id: string;
  payload?: Record<string, unknown> | undefined;
}

/** The workflows of the caller: own ones, shared ones and apps. */
@Injectable()
export class WorkflowTools {
  readonly tools: readonly McpTool[];

  constructor(
    private readonly reader: WorkflowReader,
    private readonly access: WorkflowAccess,
    private readonly runs: RunControl,
    private readonly views: RunViews,
    private readonly repetitions: IdempotencyStore,
    private readonly audit: AuditLog,
  ) {
    this.tools = [this.list(), this.run(), this.get()];
  }

  private list(): McpTool {
    return defineMcpTool({
      name: 'list_workflows',
      title: 'List workflows',
      description: 'Lists the workflows that the caller sees, last changed first, a page at a time.',
      scope: 'workflows:read',
      part: 'flowapps',
      annotations: READS,
      input: z.object({
        search: z.string().max(200).optional().describe('Part of the name or the description.'),
        page: z.int().min(1).max(10_000).default(1),
        page_size: z.int().min(1).max(100).default(50),
      }),
      output: z.object({
        workflows: z.array(
          z.object({
            id: z.string(),
            name: z.string(),
            description: z.string().nullable(),
            status: z.string(),
            role: z.string().describe('`owner`, `editor` and `runner` may run it.'),
            is_app: z.boolean(),
            updated_at: z.string(),
          }),
        ),
        count: z.number(),
        next_page: z.number().nullable(),
      }),
      run: async ({ search, page, page_size: pageSize }, { viewer }) => {
        const filter = { ordering: '-updated_at', ...(search ? { search } : {}) };
        const { count, items } = await this.reader.list(viewer.userId, filter, { page, pageSize });
        const workflows = items.map((item) => ({
          id: item.id,
          name: item.name,
          description: item.description,
          status: item.status,
          role: item.role,
          is_app: item.availableAsApp || item.onlyViewInApps,
          updated_at: item.updatedAt.toISOString(),
        }));
        return { workflows, count, next_page: page * pageSize < count ? page + 1 : null };
      },
    });
  }

  private run(): McpTool {
    return defineMcpTool({
      name: 'run_workflow',
      title: 'Run a workflow',
      description:
        'Starts a workflow and waits for its result for some seconds. A run that takes longer goes on: follow it with get_run. Steps may act on the outside, as their owner built them.',
      scope: 'workflows:run',
      part: 'flowapps',
      annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
      input: z.object({
        workflow_id: z.uuid(),
        payload: z.record(z.string(), z.unknown()).optional().describe('What the steps read as their trigger payload.'),
        wait_seconds: z.int().min(0).max(MAX_WAIT_SECONDS).default(30),
        idempotency_key: z
          .string()
          .min(1)
          .max(200)
          .optional()
          .describe('The same key with the same arguments starts nothing anew for 24 hours, and gives the same run.'),
      }),
      output: runShape,
      run: async ({ workflow_id: id, payload, wait_seconds: seconds, idempotency_key: key }, call) => {
        await this.access.requireRun(call.viewer.userId, id);
        const wanted = { workflow_id: id, payload };
        const version = key === undefined ? await this.start(wanted, call) : await this.startOnce(key, wanted, call);
        return this.views.await(id, version, seconds * 1000, call);
      },
    });
  }

  private get(): McpTool {
    return defineMcpTool({
      name: 'get_run',
      title: 'Get a run',
      description: 'How a run of a workflow stands, and its result once there is one.',
      scope: 'workflows:read',
      part: 'flowapps',
      annotations: READS,
      input: z.object({
        workflow_id: z.uuid(),
        version: z.int().min(1).max(2_147_483_647),
        wait_seconds: z.int().min(0).max(MAX_WAIT_SECONDS).default(0).describe('Waits so long for its end.'),
      }),
      output: runShape,
      run: async ({ workflow_id: id, version, wait_seconds: seconds }, call) => {
        await this.access.require(call.viewer.userId, id, 'see');
        return this.views.await(id, version, seconds * 1000, call);
      },
    });
  }

  private async start({ workflow_id: id, payload }: Wanted, { viewer }: ToolCall): Promise<number> {
    const checked = readPayload(payload, { keepFileReferences: true });
    const { userId } = viewer;
    const version = await this.runs.start(id, { trigger: 'api', userId, payload: checked, supersede: false });
    const details = { version, session: viewer.sessionId };
    await this.audit.record({ action: 'workflow.run_by_mcp', actor: viewer, target: `workflow:${id}`, details });
    return version;
  }

  /** @throws ConflictError `idempotency_key_conflict`, `idempotency_in_progress` */
  private async startOnce(key: string, wanted: Wanted, call: ToolCall): Promise<number> {
    const { userId } = call.viewer;
    const ownKey = `mcp-run:${digest(key).toString('base64url')}`;
    const claimed = await this.repetitions.claim(userId, ownKey, digest(JSON.stringify(wanted)));
    if ('answer' in claimed) return (JSON.parse(claimed.answer.body) as { version: number }).version;
    try {
      const version = await this.start(wanted, call);
      await this.repetitions.keep(userId, ownKey, claimed.claim, { status: 200, body: JSON.stringify({ version }) });
      return version;
    } catch (error) {
      await this.repetitions.release(userId, ownKey, claimed.claim);
      throw error;
    }
  }
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
