import { ONE_LINE } from '@app/common';
import type { TagRecord } from '@app/workflows';
import { DateTimeField, IntegerField, ListField, StringField, UuidField, kinds } from '../../http/fields.js';

const NAME = { ...ONE_LINE, maxLength: 50, description: 'Unique among your tags, whatever the case.' } as const;
const COLOR = {
  pattern: /^#[0-9A-Fa-f]{6}$/,
  maxLength: 7,
  patternMessage: 'Enter a colour like #1A2B3C.',
  description: 'Like `#1A2B3C`.',
} as const;
export const DEFAULT_COLOR = '#64748B';

/** A tag as it stands on a workflow. */
export class TagOnWorkflowResponse {
  @UuidField()
  id: string;

  @StringField()
  name: string;

  @StringField()
  color: string;
}

export class TagResponse extends TagOnWorkflowResponse {
  @IntegerField({ description: 'Workflows outside the trash.' })
  workflow_count: number;

  @DateTimeField()
  created_at: Date;
}

export class CreateTagRequest {
  @StringField(NAME)
  name: string;

  @StringField({ ...COLOR, default: DEFAULT_COLOR })
  color: string;
}

export class UpdateTagRequest {
  @StringField({ ...NAME, optional: true })
  name?: string;

  @StringField({ ...COLOR, optional: true })
  color?: string;
}

export class TagWorkflowRequest {
  @ListField(kinds.uuid(), { maxItems: 100, description: 'These and no others.' })
  tag_ids: string[];
}

export class TaggedWorkflowResponse {
  @UuidField()
  workflow_id: string;

  @ListField(() => TagOnWorkflowResponse)
  tags: TagOnWorkflowResponse[];
}

export function toTagResponse({ id, name, color, workflowCount, createdAt }: TagRecord): TagResponse {
  return { id, name, color, workflow_count: workflowCount, created_at: createdAt };
}
