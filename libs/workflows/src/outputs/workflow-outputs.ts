import { accountIsActive, workflowRole } from '@app/access';
import { NotFoundError, type Page, type PageRequest } from '@app/common';
import type { OutputType } from '@app/workflow-definition';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { WorkflowAccess } from '../access/workflow-access.js';

/** A kept result (docs/contract/workflows.md#outputs). */
export interface OutputRecord {
  id: string;
  workflowId: string;
  runVersion: number;
  nodeId: string;
  nodeName: string;
  kind: string;
  type: OutputType;
  title: string;
  /** Null when it is larger than 256 KB: then it lies behind the media path. */
  value: unknown;
  mediaPath: string | null;
  mimeType: string;
  sizeBytes: number;
  mgid: string | null;
  artifactId: string | null;
  tableId: string | null;
  createdAt: Date;
}

export interface OutputFilter {
  runVersion?: number | undefined;
  nodeId?: string | undefined;
  type?: OutputType | undefined;
}

const MADE = `o.id, o.workflow_id AS "workflowId", r.version AS "runVersion", o.node_id AS "nodeId",
  o.node_name AS "nodeName", o.kind, o.type, o.title, o.media_path AS "mediaPath", o.mime_type AS "mimeType",
  o.size_bytes AS "sizeBytes", o.mgid, o.artifact_id AS "artifactId", o.table_id AS "tableId", o.created_at AS "createdAt"`;
const COLUMNS = `${MADE}, o.value`;
const FROM = 'FROM workflow_outputs o JOIN workflow_runs r ON r.id = o.run_id';

/** The results that `save_output` nodes keep. */
@Injectable()
export class WorkflowOutputs {
  constructor(
    private readonly dataSource: DataSource,
    private readonly access: WorkflowAccess,
  ) {}

  /** Newest first. @throws NotFoundError */
  async list(userId: number, workflowId: string, filter: OutputFilter, at: PageRequest): Promise<Page<OutputRecord>> {
    await this.access.require(userId, workflowId, 'see');
    const matches = `o.workflow_id = $1 AND ($2::int IS NULL OR r.version = $2) AND ($3::text IS NULL OR o.node_id = $3)
      AND ($4::text IS NULL OR o.type = $4)`;
    const values = [workflowId, filter.runVersion ?? null, filter.nodeId ?? null, filter.type ?? null];
    const [[{ count }], items] = await Promise.all([
      this.dataSource.query<[{ count: number }]>(`SELECT count(*)::int AS count ${FROM} WHERE ${matches}`, values),
      this.dataSource.query<OutputRecord[]>(
        `SELECT ${COLUMNS} ${FROM} WHERE ${matches} ORDER BY o.created_at DESC, o.id LIMIT $5 OFFSET $6`,
        [...values, at.pageSize, (at.page - 1) * at.pageSize],
      ),
    ]);
    return { count, items };
  }

  /** @throws NotFoundError */
  async get(userId: number, workflowId: string, outputId: string): Promise<OutputRecord> {
    await this.access.require(userId, workflowId, 'see');
    const [row] = await this.dataSource.query<OutputRecord[]>(
      `SELECT ${COLUMNS} ${FROM} WHERE o.workflow_id = $1 AND o.id = $2`,
      [workflowId, outputId],
    );
    if (!row) throw notFound();
    return row;
  }

  /**
   * For those who show outputs to others on somebody's behalf.
   * @param whole with their values; else these are null
   * @returns for each, in order, the output that this user may see at this moment; null for none
   */
  async seenBy(
    db: DataSource | EntityManager,
    asked: readonly { outputId: string; userId: number }[],
    { whole }: { whole: boolean },
  ): Promise<(OutputRecord | null)[]> {
    const rows = await db.query<(OutputRecord & { at: number })[]>(
      `SELECT ${MADE}, CASE WHEN $3 THEN o.value END AS value, asked.at::int - 1 AS at
       ${FROM} JOIN unnest($1::uuid[], $2::int[]) WITH ORDINALITY AS asked (output_id, user_id, at) ON asked.output_id = o.id
       JOIN workflows w ON w.id = o.workflow_id
       WHERE w.deleted_at IS NULL AND ${workflowRole('w', 'asked.user_id')} IS NOT NULL AND ${accountIsActive('asked.user_id')}`,
      [asked.map(({ outputId }) => outputId), asked.map(({ userId }) => userId), whole],
    );
    const found = new Map<number, OutputRecord>(rows.map(({ at, ...output }) => [at, output]));
    return asked.map((_, at) => found.get(at) ?? null);
  }

  /** The run keeps what its node made. @throws NotFoundError; ForbiddenError for viewers. */
  async delete(userId: number, workflowId: string, outputId: string): Promise<void> {
    await this.dataSource.transaction(async (tx) => {
      await this.access.hold(tx, userId, workflowId, 'editor');
      const [, count] = await tx.query<[unknown, number]>(
        'DELETE FROM workflow_outputs WHERE workflow_id = $1 AND id = $2',
        [workflowId, outputId],
      );
      if (count === 0) throw notFound();
    });
  }
}

const notFound = () => new NotFoundError('Output not found.', { code: 'output_not_found' });
