import { AnyField, kinds, ListField, StringField } from '../http/fields.js';

export class MetadataQuery {
  @StringField({ optional: true, allowBlank: true, maxLength: 200, description: 'Only objects that have this key.' })
  key?: string;
}

export class MetadataResponse {
  @ListField(kinds.object(), { maxItems: 10_000 })
  metadata: Record<string, unknown>[];
}

export class MetadataRequest {
  @AnyField({ optional: true, nullable: true, description: 'An object, or its JSON text.' })
  data?: unknown;
}

export class MetadataMessageResponse {
  @StringField()
  message: string;
}
