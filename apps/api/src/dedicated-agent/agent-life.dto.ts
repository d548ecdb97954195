import { BooleanField, ChoiceField, IntegerField, StringField, UuidField } from '../http/fields.js';

const STATUSES = ['provisioning', 'running', 'paused', 'stopped'] as const;

export class ResumeAgentRequest {
  @IntegerField({ optional: true, nullable: true, min: 1 })
  user_id?: number | null;

  @UuidField({ optional: true, nullable: true })
  agent_id?: string | null;
}

export class AgentStateResponse {
  @BooleanField()
  success: boolean;

  @ChoiceField(STATUSES)
  status: (typeof STATUSES)[number];

  @StringField({ description: 'A sentence for people.' })
  note: string;
}
