import { ChoiceField, NestedField, NumberField, StringField } from '../http/fields.js';

const STATES = ['ok', 'unavailable'] as const;
type State = (typeof STATES)[number];

export class ReleaseResponse {
  @StringField()
  version: string;

  @StringField()
  commit: string;

  @StringField({ description: 'The last migration of the database.' })
  schema_version: string;

  @StringField({ description: 'The migration that this release needs at least.' })
  min_compatible_schema: string;
}

export class LivenessResponse {
  @ChoiceField(['ok'])
  status: 'ok';
}

export class CheckResponse {
  @ChoiceField(STATES)
  status: State;

  @NumberField({ description: 'Milliseconds.' })
  latency_ms: number;

  @StringField({ optional: true, description: 'Why it does not answer, where that is known: `model_auth_failed`.' })
  code?: string;
}

export class ChecksResponse {
  @NestedField(() => CheckResponse)
  database: CheckResponse;

  @NestedField(() => CheckResponse)
  queue: CheckResponse;

  @NestedField(() => CheckResponse)
  storage: CheckResponse;

  @NestedField(() => CheckResponse)
  index: CheckResponse;

  @NestedField(() => CheckResponse, { optional: true, description: 'With ANTIVIRUS alone; the api is ready without.' })
  scanner?: CheckResponse;

  @NestedField(() => CheckResponse, {
    description: 'Whether a workflow-runner sends mails and text messages; the api is ready without.',
  })
  messages: CheckResponse;

  @NestedField(() => CheckResponse, {
    optional: true,
    description: 'The default language model when it was last probed; the api is ready without.',
  })
  model?: CheckResponse;
}

export class ReadinessResponse {
  @ChoiceField(STATES)
  status: State;

  @NestedField(() => ChecksResponse)
  checks: ChecksResponse;
}
