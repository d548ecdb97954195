import { z } from 'zod';
import { defineKind, param, ToolError } from '@app/workflow-definition/kit';
import { categories } from '../categories.js';
import { toNumber } from '../comparison.js';

const roundings = {
  half_expand: 'halfExpand',
  half_even: 'halfEven',
  floor: 'floor',
  ceil: 'ceil',
  trunc: 'trunc',
} as const;
type Rounding = keyof typeof roundings;

export const numberTool = defineKind({
  kind: 'number',
  version: '1.0.0',
  title: 'Format number',
  description:
    'Reads a number from text, rounds it, and writes it as people of a country do, also as money or percent.',
  category: categories.data,
  icon: 'hash',
  sideEffects: 'none',
  timeoutSeconds: 10,
  params: z.object({
    value: param(z.union([z.number(), z.string().max(100)]), {
      label: 'Number',
      description: 'The number to format, or text that spells one.',
    }),
    decimal_separator: param(z.enum(['.', ',']).default('.'), {
      label: 'Decimal separator in the text',
      description: 'With a comma, 1.234,5 is read as 1234.5.',
    }),
    decimals: param(z.coerce.number().int().min(0).max(20).optional(), {
      label: 'Decimals',
      type: 'integer',
      description: 'Rounds to so many, and writes them all.',
    }),
    rounding: param(z.enum(Object.keys(roundings) as [Rounding, ...Rounding[]]).default('half_expand'), {
      label: 'Rounding',
      description: 'Which way a half goes, or whether the rest is cut off.',
      options: [
        { value: 'half_expand', label: 'Half up (2.5 is 3)' },
        { value: 'half_even', label: 'Half to even (2.5 is 2)' },
        { value: 'floor', label: 'Down' },
        { value: 'ceil', label: 'Up' },
        { value: 'trunc', label: 'Cut off' },
      ],
    }),
    style: param(z.enum(['decimal', 'percent', 'currency', 'compact', 'scientific', 'plain']).default('decimal'), {
      label: 'Style',
      description: 'How the number is written.',
      options: [
        { value: 'decimal', label: 'Number (1,234.5)' },
        { value: 'plain', label: 'Without thousands (1234.5)' },
        { value: 'percent', label: 'Percent (0.25 is 25%)' },
        { value: 'currency', label: 'Money' },
        { value: 'compact', label: 'Short (1.2K)' },
        { value: 'scientific', label: 'Scientific (1.2E3)' },
      ],
    }),
    currency: param(
      z
        .string()
        .regex(/^[A-Za-z]{3}$/, 'Enter a currency code like EUR.')
        .default('EUR'),
      {
        label: 'Currency',
        description: 'Three letters like EUR, for amounts of money.',
        visibleWhen: { style: ['currency'] },
      },
    ),
    locale: param(z.string().max(35).default('en'), { label: 'Language', description: 'Like de or en-GB.' }),
  }),
  output: z.object({ number: z.number(), text: z.string() }),
  examples: [{ value: '1234.5', style: 'currency', currency: 'EUR', locale: 'de' }],
  run: ({ value, decimal_separator: separator, decimals, rounding, style, currency, locale }) => {
    // As text, which is what people see: 1.005 is a little less as a double, and long numbers are others.
    const exact = typeof value === 'number' ? String(value) : read(value, separator);
    const number = Number(exact);
    const digits = decimals === undefined ? {} : { minimumFractionDigits: decimals, maximumFractionDigits: decimals };
    const roundingMode = roundings[rounding];
    // A percentage is rounded as it is shown.
    const places = style === 'percent' ? 2 : 0;
    const rounded =
      decimals === undefined
        ? number
        : Number(shifted(plain({ ...digits, roundingMode }, shifted(exact, places)), -places));
    const text =
      style === 'plain'
        ? plain({ maximumFractionDigits: 20, ...digits, roundingMode }, exact)
        : format(locale, { ...styleOf(style, currency), ...digits, roundingMode }, exact);
    return { output: { number: rounded, text } };
  },
});

/** The decimal number that a text writes, in JavaScript's spelling. */
function read(text: string, separator: '.' | ','): string {
  const compact = text.replace(/[\s\u00A0\u202F'’_]/g, '');
  const written = separator === ',' ? compact.replaceAll('.', '').replace(',', '.') : compact.replaceAll(',', '');
  // Other signs for minus come from spreadsheets and typesetters.
  const spelled = written.replace(/^[\u2212\u2012\u2013]/, '-');
  if (toNumber(spelled) === null)
    throw new ToolError('invalid_number', `${JSON.stringify(text)} is not a number.`, false);
  if (!isGrouped(compact, separator))
    throw new ToolError(
      'invalid_number',
      `${JSON.stringify(text)} is not a number with ${JSON.stringify(separator)} before its decimals.`,
      false,
    );
  return spelled;
}

/** Whether what separates thousands does so: 12,90 is no 1290, and 1.5 no 15. Indian numbers have groups of two, too. */
function isGrouped(compact: string, separator: '.' | ','): boolean {
  const [whole = '', ...rest] = compact.split(separator);
  const sign = separator === ',' ? '.' : ',';
  if (rest.some((part) => part.includes(sign))) return false;
  return !whole.includes(sign) || /^\D?[1-9]\d{0,2}(?:[.,]\d{2,3})*[.,]\d{3}(?:e[+-]?\d+)?$/i.test(whole);
}

/** `number` times a power of ten, exactly. */
function shifted(number: string, places: number): string {
  const [digits = '', power = '0'] = number.toLowerCase().split('e');
  return places === 0 ? number : `${digits}e${Number(power) + places}`;
}

function plain(options: Intl.NumberFormatOptions, number: string): string {
  return format('en', { ...options, useGrouping: false }, number);
}

function styleOf(style: string, currency: string): Intl.NumberFormatOptions {
  if (style === 'percent') return { style: 'percent' };
  if (style === 'currency') return { style: 'currency', currency: currency.toUpperCase() };
  return style === 'compact' || style === 'scientific' ? { notation: style } : {};
}

function format(locale: string, options: Intl.NumberFormatOptions, number: string): string {
  try {
    // What is rounded to nothing has no sign.
    const written = new Intl.NumberFormat(locale, { signDisplay: 'negative', ...options });
    return written.format(number as Intl.StringNumericLiteral);
  } catch (cause) {
    throw new ToolError('invalid_format', (cause as Error).message, false, { cause });
  }
}
