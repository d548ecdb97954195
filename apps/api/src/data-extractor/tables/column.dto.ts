import {
  COLUMN_FORMATS,
  type ColumnFormat,
  MAX_ENUM,
  MAX_ENUM_VALUE,
  MAX_INSTRUCTION,
  OUTPUT_TYPES,
  type OutputType,
  type TableColumn,
} from '@app/extraction';
import { BooleanField, ChoiceField, kinds, ListField, NestedField, StringField, UuidField } from '../../http/fields.js';

class ColumnReference {
  @UuidField({ description: 'The table whose rows are meant.' })
  table_id: string;

  @StringField({ maxLength: 1_000, description: 'Its column whose values are the keys.' })
  column: string;
}

/** A column, as it is given and told. */
export class ColumnBody {
  @StringField({
    maxLength: 1_000,
    description:
      '1 to 64 characters, unique in its table whatever the case. Control characters, dots, dollar signs, brackets, braces, quotes, backslashes and backquotes are left out.',
  })
  name: string;

  @StringField({
    default: '',
    allowBlank: true,
    maxLength: MAX_INSTRUCTION,
    description: 'What to extract from each document; may be empty where the name says it.',
  })
  instruction: string;

  @ChoiceField(OUTPUT_TYPES, { default: 'string' })
  output_type: OutputType;

  @ChoiceField(COLUMN_FORMATS, { optional: true, nullable: true, description: 'How texts and numbers are written.' })
  format?: ColumnFormat | null;

  @BooleanField({ default: false })
  required: boolean;

  @ListField(kinds.string({ maxLength: MAX_ENUM_VALUE }), {
    optional: true,
    nullable: true,
    minItems: 1,
    maxItems: MAX_ENUM,
    description: 'The only values that may be.',
  })
  enum?: string[] | null;

  @NestedField(() => ColumnReference, {
    optional: true,
    nullable: true,
    description: 'Of the output type `reference`: what its values are keys of.',
  })
  reference?: ColumnReference | null;
}

export function toTableColumn(body: ColumnBody): TableColumn {
  const { name, instruction, required, reference } = body;
  return {
    name,
    instruction,
    outputType: body.output_type,
    format: body.format ?? null,
    required,
    enum: body.enum ?? null,
    reference: reference ? { tableId: reference.table_id, column: reference.column } : null,
  };
}

export function toColumnBody(column: TableColumn): ColumnBody {
  const { name, instruction, required, reference } = column;
  return {
    name,
    instruction,
    output_type: column.outputType,
    format: column.format,
    required,
    enum: column.enum,
    reference: reference && { table_id: reference.tableId, column: reference.column },
  };
}
