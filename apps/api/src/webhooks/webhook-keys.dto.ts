import type { CredentialRecord, IssuedSigningKey, RotatedSecret, WebhookSettingsRecord } from '@app/workflows';
import { HOOK_CHALLENGES, HOOK_SCHEMES, type HookRecord } from '@app/workflows';
import { BooleanField, ChoiceField, DateTimeField, ListField, StringField, UuidField } from '../http/fields.js';

const nodeId = {
  optional: true,
  nullable: true,
  maxLength: 128,
  description: 'Absent or null: the credential of the whole workflow.',
} as const;

export class RotateSecretRequest {
  @StringField(nodeId)
  node_id?: string | null;

  @BooleanField({ default: true, description: 'False: earlier secrets are refused from now on.' })
  keep_previous: boolean;
}

export class RotateSecretResponse {
  @UuidField()
  workflow_id: string;

  @StringField({ nullable: true })
  node_id: string | null;

  @UuidField()
  webhook_id: string;

  @StringField()
  webhook_secret: string;

  @DateTimeField({ nullable: true, description: 'Until when the secret before this one is taken as well.' })
  previous_valid_until: Date | null;
}

export class SigningKeyRequest {
  @StringField(nodeId)
  node_id?: string | null;

  @StringField({
    optional: true,
    nullable: true,
    maxLength: 128,
    description: '`whsec_…` of the sender; else one is made.',
  })
  signing_key?: string | null;
}

export class SigningKeyQuery {
  @StringField(nodeId)
  node_id?: string | null;
}

export class SigningKeyResponse {
  @UuidField()
  workflow_id: string;

  @StringField({ nullable: true })
  node_id: string | null;

  @UuidField()
  webhook_id: string;

  @StringField({ description: 'Shown this once.' })
  signing_key: string;

  @DateTimeField({ nullable: true })
  previous_valid_until: Date | null;
}

export class WebhookSettingsRequest {
  @BooleanField({ description: 'Whether each call waits until the owner approves it.' })
  requires_approval: boolean;
}

class CredentialResponse {
  @UuidField()
  webhook_id: string;

  @StringField({ nullable: true })
  node_id: string | null;

  @BooleanField({ description: 'Then only signed calls are taken.' })
  has_signing_key: boolean;

  @DateTimeField({ nullable: true })
  signing_key_created_at: Date | null;

  @DateTimeField({ nullable: true, description: 'Until when the last of the earlier secrets is taken.' })
  previous_secret_valid_until: Date | null;

  @StringField({ nullable: true, description: 'Null as long as it has no webhook by URL.' })
  webhook_url: string | null;

  @ChoiceField(HOOK_SCHEMES, { nullable: true, description: 'How calls of the address prove where they come from.' })
  url_scheme: string | null;

  @ChoiceField(HOOK_CHALLENGES, { nullable: true })
  url_challenge: string | null;

  @DateTimeField({ nullable: true, description: 'Until when the last of the earlier addresses is taken.' })
  previous_url_valid_until: Date | null;

  @DateTimeField()
  created_at: Date;
}

export class WebhookSettingsResponse {
  @UuidField()
  workflow_id: string;

  @BooleanField()
  requires_approval: boolean;

  @ListField(() => CredentialResponse)
  credentials: CredentialResponse[];
}

export function toRotateResponse(
  workflowId: string,
  nodeId: string | null,
  rotated: RotatedSecret,
): RotateSecretResponse {
  return {
    workflow_id: workflowId,
    node_id: nodeId,
    webhook_id: rotated.webhookId,
    webhook_secret: rotated.webhookSecret,
    previous_valid_until: rotated.previousValidUntil,
  };
}

export function toSigningKeyResponse(
  workflowId: string,
  nodeId: string | null,
  issued: IssuedSigningKey,
): SigningKeyResponse {
  return {
    workflow_id: workflowId,
    node_id: nodeId,
    webhook_id: issued.webhookId,
    signing_key: issued.signingKey,
    previous_valid_until: issued.previousValidUntil,
  };
}

type ShownUrl = HookRecord & { url: string };

export function toSettingsResponse(
  settings: WebhookSettingsRecord,
  urls: readonly ShownUrl[],
): WebhookSettingsResponse {
  return {
    workflow_id: settings.workflowId,
    requires_approval: settings.requiresApproval,
    credentials: settings.credentials.map((record) =>
      toCredentialResponse(
        record,
        urls.find(({ webhookId }) => webhookId === record.webhookId),
      ),
    ),
  };
}

function toCredentialResponse(record: CredentialRecord, url: ShownUrl | undefined): CredentialResponse {
  return {
    webhook_id: record.webhookId,
    node_id: record.nodeId,
    has_signing_key: record.hasSigningKey,
    signing_key_created_at: record.signingKeyCreatedAt,
    previous_secret_valid_until: record.previousSecretsUntil,
    webhook_url: url?.url ?? null,
    url_scheme: url?.scheme ?? null,
    url_challenge: url?.challenge ?? null,
    previous_url_valid_until: url?.previousValidUntil ?? null,
    created_at: record.createdAt,
  };
}
