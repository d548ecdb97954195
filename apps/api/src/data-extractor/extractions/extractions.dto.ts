import {
  EXTRACTION_MODES,
  EXTRACTION_STATES,
  ITEM_STATES,
  MAX_DOCUMENTS,
  type ExtractionItemRecord,
  type ExtractionMode,
  type ExtractionState,
  type ItemState,
  type NewExtraction,
  type WholeExtraction,
} from '@app/extraction';
import {
  BooleanField,
  ChoiceField,
  DateTimeField,
  IntegerField,
  kinds,
  ListField,
  StringField,
  UuidField,
} from '../../http/fields.js';
import { PageOf } from '../../http/pagination.js';

export class ExtractRequest {
  @ListField(kinds.uuid(), { minItems: 1, maxItems: MAX_DOCUMENTS, description: 'Each counts once.' })
  document_uids: string[];

  @ListField(kinds.string({ minLength: 1 }), {
    optional: true,
    minItems: 1,
    maxItems: 200,
    description: 'Names of the columns to fill; all unless told.',
  })
  columns?: string[];

  @ChoiceField(EXTRACTION_MODES, {
    default: 'missing',
    description:
      '`missing` fills what is empty; `all` reads everything anew, but for what a person edited or verified.',
  })
  mode: ExtractionMode;

  @BooleanField({ default: false, description: 'Whether what a person edited or verified is replaced, too.' })
  overwrite_edited: boolean;

  @BooleanField({
    optional: true,
    description: 'Whether text in pictures is recognised; as each document was read unless told.',
  })
  ocr?: boolean;
}

export class ExtractionStartedResponse {
  @UuidField()
  extraction_id: string;

  @UuidField()
  table_id: string;

  @IntegerField({ description: 'Documents.' })
  total: number;
}

export class ExtractionItemResponse {
  @StringField({ description: 'The document.' })
  source_uid: string;

  @StringField()
  filename: string;

  @ChoiceField(ITEM_STATES)
  state: ItemState;

  @StringField({ description: 'A sentence; empty unless the last try went wrong.' })
  last_error: string;

  @IntegerField()
  cells_filled: number;

  @IntegerField()
  cells_empty: number;
}

export class ExtractionResponse {
  @UuidField()
  id: string;

  @UuidField()
  table_id: string;

  @ChoiceField(EXTRACTION_STATES)
  state: ExtractionState;

  @IntegerField()
  total: number;

  @IntegerField()
  completed: number;

  @IntegerField()
  failed: number;

  @DateTimeField()
  created_at: Date;

  @DateTimeField({ nullable: true })
  completed_at: Date | null;

  @ListField(() => ExtractionItemResponse)
  items: ExtractionItemResponse[];
}

export class ExtractionPage extends PageOf(ExtractionResponse) {}

export function toNewExtraction(body: ExtractRequest): NewExtraction {
  return {
    documentUids: body.document_uids,
    columns: body.columns ?? null,
    mode: body.mode,
    overwriteEdited: body.overwrite_edited,
    ocr: body.ocr ?? null,
  };
}

export function toExtractionResponse(extraction: WholeExtraction): ExtractionResponse {
  const { id, tableId, state, total, completed, failed, createdAt, completedAt, items } = extraction;
  return {
    id,
    table_id: tableId,
    state,
    total,
    completed,
    failed,
    created_at: createdAt,
    completed_at: completedAt,
    items: items.map(toItemResponse),
  };
}

function toItemResponse(item: ExtractionItemRecord): ExtractionItemResponse {
  const { sourceUid, filename, state, lastError, cellsFilled, cellsEmpty } = item;
  return {
    source_uid: sourceUid,
    filename,
    state,
    last_error: lastError,
    cells_filled: cellsFilled,
    cells_empty: cellsEmpty,
  };
}
