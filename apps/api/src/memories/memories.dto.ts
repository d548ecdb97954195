import { MAX_MEMORY_LENGTH, MEMORY_KINDS, type MemoryKind, type MemoryRecord } from '@app/agents';
import {
  BooleanField,
  ChoiceField,
  DateTimeField,
  IntegerField,
  NumberField,
  StringField,
  UuidField,
} from '../http/fields.js';
import { PageOf, PageQuery } from '../http/pagination.js';

const TEXT = { minLength: 1, maxLength: MAX_MEMORY_LENGTH } as const;

export class MemoryResponse {
  @UuidField()
  id: string;

  @ChoiceField(MEMORY_KINDS)
  kind: MemoryKind;

  @StringField()
  text: string;

  @NumberField({ description: '0 to 1; 1 for what you wrote yourself.' })
  confidence: number;

  @UuidField({ nullable: true, description: 'The turn in which you said it.' })
  source_turn_id: string | null;

  @BooleanField({ description: 'Learnt from a model of the house: no other model reads it.' })
  stays_on_premises: boolean;

  @IntegerField({ description: 'Turns that it was shown to.' })
  recall_count: number;

  @DateTimeField({ nullable: true })
  last_recalled_at: Date | null;

  @DateTimeField()
  created_at: Date;

  @DateTimeField()
  updated_at: Date;
}

export class MemoryPage extends PageOf(MemoryResponse) {}

export class MemoriesQuery extends PageQuery {
  @ChoiceField(MEMORY_KINDS, { optional: true })
  kind?: MemoryKind;

  @StringField({ form: 'NFC', optional: true, maxLength: 200, description: 'Part of the text.' })
  search?: string;
}

export class CreateMemoryRequest {
  @StringField(TEXT)
  text: string;

  @ChoiceField(MEMORY_KINDS, { default: 'fact' })
  kind: MemoryKind;
}

export class UpdateMemoryRequest {
  @StringField({ ...TEXT, optional: true })
  text?: string;

  @ChoiceField(MEMORY_KINDS, { optional: true })
  kind?: MemoryKind;
}

export class MemorySettings {
  @BooleanField({ description: 'Off: nothing is remembered or recalled; what is kept stays until you delete it.' })
  enabled: boolean;
}

export class DeletedMemoriesResponse {
  @IntegerField()
  deleted: number;
}

export function toMemoryResponse(memory: MemoryRecord): MemoryResponse {
  return {
    id: memory.id,
    kind: memory.kind,
    text: memory.text,
    confidence: Math.round(memory.confidence * 100) / 100,
    source_turn_id: memory.sourceTurnId,
    stays_on_premises: memory.staysOnPremises,
    recall_count: memory.recallCount,
    last_recalled_at: memory.lastRecalledAt,
    created_at: memory.createdAt,
    updated_at: memory.updatedAt,
  };
}
