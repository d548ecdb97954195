import { LiveBus } from '@app/live';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';

/** Apps are copies that follow the workflow they come from: its published revision, or its newest. */
@Injectable()
export class SharedApps {
  constructor(
    private readonly dataSource: DataSource,
    private readonly live: LiveBus,
  ) {}

  /** Called before a use of the app, so that saving a workflow costs nothing for those who received it. */
  async bringUpToDate(appId: string): Promise<void> {
    const [written] = await this.dataSource.query<{ content_revision: number }[]>(
      `WITH source AS (
         SELECT a.id AS app_id, s.*, v.content_revision AS revision, v.json_spec
         FROM workflows a JOIN workflows s ON s.id = a.app_of_id AND s.deleted_at IS NULL
         JOIN workflow_revisions v ON v.workflow_id = s.id
           AND v.content_revision = coalesce(s.published_revision, s.content_revision)
         WHERE a.id = $1 AND a.deleted_at IS NULL AND a.app_revision <> v.content_revision),
       updated AS (
         UPDATE workflows a SET content_revision = a.content_revision + 1, app_revision = s.revision, name = s.name,
           subtitle = s.subtitle, description = s.description, summary = s.summary, instructions = s.instructions,
           csv_dashboard = s.csv_dashboard, chatbot_app = s.chatbot_app, updated_at = now()
         FROM source s WHERE a.id = s.app_id AND a.app_revision <> s.revision RETURNING a.id, a.content_revision)
       INSERT INTO workflow_revisions (workflow_id, content_revision, name, json_spec)
       SELECT u.id, u.content_revision, s.name, s.json_spec FROM updated u JOIN source s ON s.app_id = u.id
       RETURNING content_revision`,
      [appId],
    );
    if (!written) return;
    this.live.publish(`workflow:${appId}`, {
      type: 'definition_updated',
      contentRevision: written.content_revision,
      actor: null,
    });
  }
}
