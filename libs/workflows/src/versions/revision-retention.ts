import type { DataSource } from 'typeorm';

const BATCH = 50;

/**
 * Thins out old revisions. What stays: the newest ones, the last of each day, what has a label, what is published, and
 * what runs were made from, as long as these runs are kept.
 */
export class RevisionRetention {
  constructor(
    private readonly dataSource: DataSource,
    /** So many of the newest stay whatever they are. */
    private readonly kept: number,
  ) {}

  /** For a sweeper. @returns how many revisions went. */
  async thinOut(): Promise<number> {
    let removed = 0;
    let after = '00000000-0000-0000-0000-000000000000';
    for (;;) {
      const workflows = await this.dataSource.query<{ id: string }[]>(
        'SELECT id FROM workflows WHERE id > $1 AND content_revision > $2 ORDER BY id LIMIT $3',
        [after, this.kept, BATCH],
      );
      for (const { id } of workflows) removed += await this.thinOutOne(id);
      if (workflows.length < BATCH) return removed;
      after = workflows.at(-1)!.id;
    }
  }

  private async thinOutOne(workflowId: string): Promise<number> {
    return this.dataSource.transaction(async (tx) => {
      // Held against a publish, or a run that pins one of them, in between. Who is busy with the workflow goes first.
      const [row] = await tx.query<{ content_revision: number }[]>(
        'SELECT content_revision FROM workflows WHERE id = $1 FOR NO KEY UPDATE SKIP LOCKED',
        [workflowId],
      );
      if (!row) return 0;
      const [, count] = await tx.query<[unknown, number]>(
        `DELETE FROM workflow_revisions v USING workflows w
         WHERE w.id = $1 AND v.workflow_id = $1 AND v.content_revision <= w.content_revision - $2 AND v.label IS NULL
           AND v.content_revision IS DISTINCT FROM w.published_revision
           AND v.content_revision NOT IN (SELECT r.content_revision FROM workflow_runs r WHERE r.workflow_id = $1)
           AND v.content_revision NOT IN (
             SELECT max(d.content_revision) FROM workflow_revisions d WHERE d.workflow_id = $1
             GROUP BY date_trunc('day', d.created_at AT TIME ZONE 'UTC'))`,
        [workflowId, this.kept],
      );
      return count;
    });
  }
}
