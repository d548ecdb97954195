import { ARTIFACT_KINDS, ARTIFACT_LIMITS } from '@app/artifacts';
import { VersionField } from '../artifacts/version-field.js';
import { ChoiceField, IntegerField, ObjectField, StringField } from '../http/fields.js';

export class RenderUrlRequest {
  @VersionField({ optional: true, description: 'The latest one unless told.' })
  version?: number;

  @ObjectField({
    optional: true,
    description: `Given to the page when it is loaded; at most ${ARTIFACT_LIMITS.stateBytes} bytes of JSON.`,
  })
  state?: Record<string, unknown>;
}

/** docs/contract/artifacts.md#rendering. */
export class RenderedUrlResponse {
  @StringField()
  artifact_id: string;

  @IntegerField()
  version: number;

  @StringField()
  title: string;

  @ChoiceField(ARTIFACT_KINDS)
  kind: string;

  @StringField({ description: 'For an iframe, or a window; good for 5 minutes.' })
  url: string;

  @StringField({ description: 'What the address holds: it shows this version of this artifact to the caller.' })
  token: string;
}

export class RefreshResponse {
  @StringField()
  artifact_id: string;

  @IntegerField({ description: 'How many results are not given any more.' })
  retired: number;
}
