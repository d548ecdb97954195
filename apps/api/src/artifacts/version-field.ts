import { parseInteger, Refusal } from '@app/common';
import { declareField, type FieldOptions } from '../http/fields/field.js';

const parse = parseInteger({ min: 1 });

/** The number of a version, as JSON has numbers: `"3"` is none (docs/contract/artifacts.md#versions). */
export const VersionField = (options: FieldOptions = {}): PropertyDecorator =>
  declareField(
    {
      parse: (raw) => (typeof raw === 'number' ? parse(raw) : new Refusal('A valid integer is required.')),
      schema: { type: 'integer', minimum: 1 },
    },
    options,
  );
