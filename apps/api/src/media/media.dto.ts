import { ChoiceField, DateTimeField, IntegerField, kinds, ListField, StringField } from '../http/fields.js';

export class SignRequest {
  @ListField(kinds.string({ maxLength: 4096 }), { minItems: 1, maxItems: 100 })
  paths: string[];

  @IntegerField({ min: 30, max: 86_400, default: 900, description: 'Seconds for which the addresses work.' })
  expires_in: number;

  @ChoiceField(['inline', 'attachment'], { default: 'inline' })
  disposition: 'inline' | 'attachment';
}

export class SignQuery {
  @StringField({ maxLength: 4096 })
  path: string;
}

export class SignedUrlResponse {
  @StringField()
  path: string;

  @StringField()
  url: string;

  @DateTimeField()
  expires_at: Date;
}

export class SignResponse {
  @ListField(() => SignedUrlResponse)
  urls: SignedUrlResponse[];

  @ListField(kinds.string(), { description: 'Unknown, or not shown to the caller.' })
  not_found: string[];
}
