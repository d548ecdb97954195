import type { ExportedColumns } from '@app/erasure';

const AROUND_IT = 'the workflow stands around it';
const OTHERS = 'the number of another person';
const OF_THE_ENGINE = 'for the engine';

export const WORKFLOW_COLUMNS: ExportedColumns = {
  table: 'workflows',
  exported: [
    'id',
    'name',
    'subtitle',
    'description',
    'summary',
    'instructions',
    'available_as_app',
    'csv_dashboard',
    'run_only',
    'chatbot_app',
    'content_revision',
    'published_revision',
    'requires_approval',
    'last_edited_at',
    'current_run_version',
    'successful_run_count',
    'created_at',
    'updated_at',
    'deleted_at',
    'purge_at',
    'copied_from_id',
    'app_of_id',
    'app_state',
    'app_revision',
    'app_consent',
  ],
  withheld: {
    owner_id: 'whose copy it is',
    last_edited_by_id: OTHERS,
    sharer_id: OTHERS,
    current_run_id: OF_THE_ENGINE,
    pending_requests: OF_THE_ENGINE,
  },
};

export const REVISION_COLUMNS: ExportedColumns = {
  table: 'workflow_revisions',
  exported: ['content_revision', 'name', 'json_spec', 'vueflow_json', 'created_at', 'label', 'change_summary'],
  withheld: { workflow_id: AROUND_IT, created_by_id: OTHERS, acts_as: OTHERS },
};

export const SCHEDULE_COLUMNS: ExportedColumns = {
  table: 'workflow_schedules',
  exported: [
    'id',
    'name',
    'kind',
    'cron',
    'interval_minutes',
    'run_at',
    'timezone',
    'payload',
    'enabled',
    'state',
    'overlap_policy',
    'catchup_window_seconds',
    'jitter_seconds',
    'start_at',
    'end_at',
    'anchor_at',
    'next_run_at',
    'last_run_at',
    'last_run_version',
    'last_status',
    'last_error',
    'missed_count',
    'failure_streak',
    'pause_after_failures',
    'version',
    'created_at',
    'updated_at',
  ],
  withheld: {
    workflow_id: AROUND_IT,
    created_by_id: OTHERS,
    due_at: OF_THE_ENGINE,
    claimed_until: OF_THE_ENGINE,
  },
};

export const OUTPUT_COLUMNS: ExportedColumns = {
  table: 'workflow_outputs',
  exported: [
    'id',
    'run_id',
    'node_id',
    'node_name',
    'kind',
    'type',
    'value',
    'size_bytes',
    'created_at',
    'title',
    'media_path',
    'mime_type',
    'mgid',
    'artifact_id',
    'table_id',
  ],
  withheld: { workflow_id: AROUND_IT },
};
