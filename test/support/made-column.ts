import type { TableColumn } from '@app/extraction';

/** A column of text without any rule, but for what is told. */
export const madeColumn = (name: string, more: Partial<TableColumn> = {}): TableColumn => ({
  name,
  instruction: '',
  outputType: 'string',
  format: null,
  required: false,
  enum: null,
  reference: null,
  ...more,
});
