import { type CellRecord, REVIEW_STATUSES, type ReviewStatus } from '@app/extraction';
import {
  AnyField,
  BooleanField,
  ChoiceField,
  DateTimeField,
  IntegerField,
  kinds,
  ListField,
  NestedField,
  NumberField,
  StringField,
  UuidField,
} from '../../http/fields.js';
import { PageOf, PageQuery } from '../../http/pagination.js';
import type { EvidenceFile } from './evidence-files.js';

class HighlightSpan {
  @IntegerField({ description: 'From 1.' })
  page: number;

  @ListField(kinds.number(), {
    minItems: 4,
    maxItems: 4,
    example: [0.12, 0.2, 0.31, 0.23],
    description: '[x0, y0, x1, y1] as fractions of the page, from its top left.',
  })
  rect: number[];
}

class HighlightPlace {
  @StringField()
  sheet: string;

  @StringField()
  cell: string;
}

/** A value, and where it stands. */
export class HighlightResponse {
  @StringField()
  column_name: string;

  @AnyField({ nullable: true })
  value: unknown;

  @StringField({ description: 'Verbatim words of the document; empty when there are none.' })
  quote: string;

  @ChoiceField(['anchored', 'unanchored', 'no_evidence'], {
    description:
      '`anchored`: the quote stands in the document, at the spans; `unanchored`: a value without a place; `no_evidence`: the document does not say it.',
  })
  status: string;

  @ListField(() => HighlightSpan, { description: 'One for each line of the quote.' })
  spans: HighlightSpan[];

  @NumberField({ nullable: true, description: 'Points, of the page of the first span.' })
  page_width: number | null;

  @NumberField({ nullable: true })
  page_height: number | null;

  @NumberField({ description: '0 to 1.' })
  score: number;

  @BooleanField({ description: 'The same words stand in several places, and order did not decide.' })
  ambiguous: boolean;

  @StringField()
  source_uid: string;

  @UuidField()
  row_id: string;

  @ChoiceField(['rules', 'model', 'person'])
  method: string;

  @ChoiceField(['exact', 'normalised', 'fuzzy', 'none'])
  anchor: string;

  @NestedField(() => HighlightPlace, { nullable: true, description: 'Of a worksheet.' })
  place: HighlightPlace | null;

  @StringField({ nullable: true, description: 'Why it is empty or doubtful, as a code.' })
  reason: string | null;

  @StringField({ nullable: true })
  model: string | null;

  @StringField({ nullable: true, description: 'Who vouches for the value.' })
  verified_by: string | null;

  @DateTimeField({ nullable: true })
  verified_at: Date | null;

  @DateTimeField({ nullable: true, description: 'When a person changed the value.' })
  edited_at: Date | null;
}

const rounded = (score: number): number => Math.round(score * 1_000) / 1_000;

export function toHighlightResponse(cell: CellRecord): HighlightResponse {
  return {
    column_name: cell.column,
    value: cell.value ?? null,
    quote: cell.quote,
    status: cell.status,
    spans: cell.spans,
    page_width: cell.pageWidth,
    page_height: cell.pageHeight,
    score: rounded(cell.score),
    ambiguous: cell.ambiguous,
    source_uid: cell.sourceUid,
    row_id: cell.rowId,
    method: cell.method,
    anchor: cell.anchor,
    place: cell.place,
    reason: cell.reason,
    model: cell.model,
    verified_by: cell.verifiedBy,
    verified_at: cell.verifiedAt,
    edited_at: cell.editedAt,
  };
}

export class HighlightsQuery {
  @StringField({ optional: true, trim: false, maxLength: 1_000 })
  source_uid?: string;

  @StringField({ optional: true, maxLength: 1_000 })
  column_name?: string;
}

class HighlightsResult {
  @UuidField()
  table_id: string;

  @StringField({ nullable: true })
  source_uid: string | null;

  @StringField({ description: 'Of the source; empty where none is asked for.' })
  filename: string;

  @StringField({ nullable: true, description: 'Media path of the document; null when you may not read it.' })
  file_path: string | null;

  @StringField({ nullable: true, description: 'Signed address of the document, good for 15 minutes.' })
  file_url: string | null;

  @ListField(() => HighlightResponse, { description: 'In the order of rows; 1,000 at most.' })
  highlights: HighlightResponse[];

  @BooleanField({ description: 'Whether there are more: ask for one source or column.' })
  truncated: boolean;
}

export class HighlightsResponse {
  @BooleanField()
  success: boolean;

  @NestedField(() => HighlightsResult)
  result: HighlightsResult;
}

export class ReviewQuery extends PageQuery {
  @ChoiceField(REVIEW_STATUSES, { optional: true })
  status?: ReviewStatus;

  @StringField({ optional: true, maxLength: 1_000, description: 'Name of a column.' })
  column?: string;
}

/** A value that somebody should look at, with all that is needed for it. */
export class ReviewedCellResponse extends HighlightResponse {
  @StringField()
  filename: string;

  @IntegerField({ nullable: true, description: 'Page of the first span, from 1.' })
  page: number | null;

  @ListField(kinds.number(), { nullable: true, description: 'Rectangle of the first span.' })
  rect: number[] | null;

  @StringField({ nullable: true, description: 'Signed address of a picture of the page (WebP), good for 15 minutes.' })
  page_url: string | null;

  @StringField({ nullable: true, description: 'Signed address of the document, good for 15 minutes.' })
  file_url: string | null;
}

export class ReviewPage extends PageOf(ReviewedCellResponse) {}

export function toReviewedCellResponse(cell: CellRecord, { fileUrl, pageUrl }: EvidenceFile): ReviewedCellResponse {
  const [span] = cell.spans;
  return {
    ...toHighlightResponse(cell),
    filename: cell.filename,
    page: span?.page ?? null,
    rect: span?.rect ?? null,
    page_url: pageUrl,
    file_url: fileUrl,
  };
}

export class VerifyCellRequest {
  @BooleanField({ description: 'Whether you vouch for the value; false takes it back.' })
  verified: boolean;

  @UuidField({ optional: true, description: 'Only this one of the rows of the source.' })
  row_id?: string;
}
