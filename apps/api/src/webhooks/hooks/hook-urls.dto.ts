import { HOOK_CHALLENGES, HOOK_SCHEMES, type HookRecord } from '@app/workflows';
import { BooleanField, ChoiceField, DateTimeField, IntegerField, StringField, UuidField } from '../../http/fields.js';
import { MAX_WAIT_SECONDS, REQUEST_STATUSES } from '../webhook-trigger.dto.js';

const nodeId = {
  optional: true,
  nullable: true,
  maxLength: 128,
  description: 'Absent or null: the credential of the whole workflow.',
} as const;
const keepsPrevious = { default: true, description: 'False: what it replaces is refused from now on.' } as const;

export class HookUrlRequest {
  @StringField(nodeId)
  node_id?: string | null;

  @ChoiceField(HOOK_SCHEMES, { default: 'none', description: 'How calls prove where they come from.' })
  scheme: (typeof HOOK_SCHEMES)[number];

  @ChoiceField(HOOK_CHALLENGES, {
    default: 'none',
    description: 'Which vendor asks the address before it sends. Slack and Zoom are answered by their scheme.',
  })
  challenge: (typeof HOOK_CHALLENGES)[number];

  @StringField({
    optional: true,
    nullable: true,
    maxLength: 1024,
    trim: false,
    description:
      'What the sender shows or signs with. Absent: the one before stays, or one is made; for stripe, slack, zoom and svix the sender makes it.',
  })
  secret?: string | null;

  @StringField({ optional: true, nullable: true, maxLength: 100, description: 'Of the schemes header and hmac.' })
  header_name?: string | null;

  @StringField({ optional: true, nullable: true, maxLength: 512, description: 'Of the scheme basic.' })
  username?: string | null;

  @StringField({ optional: true, nullable: true, maxLength: 512, description: 'Of the challenge meta.' })
  verify_token?: string | null;

  @BooleanField(keepsPrevious)
  keep_previous: boolean;
}

export class RotateHookUrlRequest {
  @StringField(nodeId)
  node_id?: string | null;

  @BooleanField(keepsPrevious)
  keep_previous: boolean;
}

export class HookUrlQuery {
  @StringField(nodeId)
  node_id?: string | null;
}

export class HookUrlResponse {
  @UuidField()
  workflow_id: string;

  @StringField({ nullable: true })
  node_id: string | null;

  @UuidField()
  webhook_id: string;

  @StringField({ description: 'Whoever knows it can call it: keep it like a secret.' })
  webhook_url: string;

  @ChoiceField(HOOK_SCHEMES)
  scheme: string;

  @ChoiceField(HOOK_CHALLENGES)
  challenge: string;

  @StringField({ nullable: true })
  header_name: string | null;

  @StringField({ nullable: true })
  username: string | null;

  @StringField({ nullable: true, description: 'The secret that was made; shown this once.' })
  secret: string | null;

  @DateTimeField({ nullable: true, description: 'Until when what was replaced is taken as well.' })
  previous_valid_until: Date | null;
}

export function toHookUrlResponse(workflowId: string, webhookUrl: string, record: HookRecord): HookUrlResponse {
  return {
    workflow_id: workflowId,
    node_id: record.nodeId,
    webhook_id: record.webhookId,
    webhook_url: webhookUrl,
    scheme: record.scheme,
    challenge: record.challenge,
    header_name: record.headerName,
    username: record.username,
    secret: record.madeSecret,
    previous_valid_until: record.previousValidUntil,
  };
}

/** What else stands in the query is the sender's. */
export class HookQuery {
  @IntegerField({
    optional: true,
    min: 0,
    max: MAX_WAIT_SECONDS,
    description: 'How long the answer may wait; 25 where the workflow has a `respond` node, else 0.',
  })
  wait_seconds?: number;
}

export class HookDeliveryResponse {
  @StringField()
  message: string;

  @UuidField()
  request_id: string;

  @BooleanField()
  queued: boolean;

  @IntegerField({ description: '0 when it was started at once.' })
  queue_position: number;

  @UuidField()
  workflow_id: string;

  @BooleanField({ optional: true, description: 'Present and true for a repetition.' })
  duplicate?: true;

  @BooleanField({ optional: true, description: 'Present and true when the owner has to approve it first.' })
  awaiting_approval?: true;

  @ChoiceField(REQUEST_STATUSES, { optional: true, description: 'When the answer waited.' })
  status?: string;

  @IntegerField({ optional: true, nullable: true, description: 'When the answer waited.' })
  run_version?: number | null;
}
