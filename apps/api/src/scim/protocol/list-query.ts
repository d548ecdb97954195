import type { Slice } from '@app/auth';
import { IntegerField, StringField } from '../../http/fields.js';
import { LIST_RESPONSE, type Projection, type Resource } from './resources.js';

const MOST_PER_PAGE = 200;
const PER_PAGE = 100;

export class ProjectionQuery implements Projection {
  @StringField({ optional: true, allowBlank: true, maxLength: 2000, description: 'Comma-separated.' })
  attributes?: string;

  @StringField({ optional: true, allowBlank: true, maxLength: 2000, description: 'Comma-separated.' })
  excludedAttributes?: string;
}

/** RFC 7644, section 3.4.2. */
export class ListQuery extends ProjectionQuery {
  @StringField({ optional: true, allowBlank: true, maxLength: 2000, example: 'userName eq "ada"' })
  filter?: string;

  @IntegerField({ default: 1, description: 'From 1.' })
  startIndex: number;

  @IntegerField({ default: PER_PAGE, description: `At most ${MOST_PER_PAGE}.` })
  count: number;
}

/** Values out of range are set right rather than refused, as the RFC wants. */
export function sliceOf({ startIndex, count }: ListQuery): Slice {
  return { offset: Math.max(1, startIndex) - 1, limit: Math.min(MOST_PER_PAGE, Math.max(0, count)) };
}

export function toListResponse(total: number, { offset }: Slice, resources: readonly Resource[]): Resource {
  return {
    schemas: [LIST_RESPONSE],
    totalResults: total,
    startIndex: offset + 1,
    itemsPerPage: resources.length,
    Resources: resources,
  };
}
