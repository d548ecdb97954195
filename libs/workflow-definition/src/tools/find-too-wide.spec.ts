import { z } from 'zod';
import { findTooWide } from './find-too-wide.js';

const list = (length: number): unknown[] => Array.from({ length }, () => 1);
const map = (length: number): object => Object.fromEntries(list(length).map((_, i) => [`k${i}`, 1]));
const schema = z.object({
  few: z
    .array(z.object({ names: z.array(z.string()).max(3).default([]) }))
    .max(2)
    .optional(),
  many: z.array(z.string()).nullish(),
  any: z.array(z.unknown()).optional(),
  headers: z.record(z.string(), z.string()).optional(),
  fields: z.record(z.string(), z.unknown()).optional(),
});

describe('findTooWide', () => {
  it.each([
    [{ few: list(3) }, ['few'], 2],
    [{ few: [{}, { names: list(4) }] }, ['few', 1, 'names'], 3],
    [{ many: list(10_001) }, ['many'], 10_000],
    [{ any: list(100_001) }, ['any'], 100_000],
    [{ headers: map(10_001) }, ['headers'], 10_000],
    [{ fields: map(100_001) }, ['fields'], 100_000],
    [map(1_001), [], 1_000],
  ])('finds what holds too much, before any item is looked at (%#)', (params, path, max) =>
    expect(findTooWide(schema, params)).toEqual({ path, message: expect.stringContaining(`<=${max} `) }),
  );

  it.each([
    [{ few: [{ names: ['a', 'b', 'c'] }, {}], many: list(10_000), any: list(100_000), headers: map(10_000) }],
    [{ fields: map(100_000), many: null }],
    [{ few: { $ref: '_output.a' }, many: 'text', headers: [] }],
    [null],
  ])('leaves everything else to the schema (%#)', (params) => expect(findTooWide(schema, params)).toBeNull());
});
