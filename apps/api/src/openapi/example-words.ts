import type { Schema } from './schema-2020.js';

const UUID = '0198f1c2-7d3e-7a55-9b1e-3f6a1c2d4e5f';
const BY_FORMAT: Readonly<Record<string, string>> = {
  uuid: UUID,
  email: 'ada@example.com',
  'date-time': '2026-03-12T09:30:00.000Z',
  date: '2026-03-12',
  binary: '(the bytes of the file)',
  uri: 'https://example.com/',
};

/** Texts that say what kind of value a field of this name has. The first pattern that fits is used. */
const BY_NAME: readonly (readonly [RegExp, string])[] = [
  [/^(webhook_|turn_|batch_|conversation_|workflow_|event_|request_|upload_|client_.*_)?id$|^uid$|^table_id$/, UUID],
  [/email/, 'ada@example.com'],
  [/^username$|^user$|^actor$/, 'ada'],
  [/password|secret|token|^rek|^dek|_key$|^key$|credential/, 'a-secret-of-your-own-24'],
  [/first_name/, 'Ada'],
  [/last_name/, 'Lovelace'],
  [/display_name|client_name|name$|title|label/, 'Office handbook'],
  [/url$|uri$|_url|issuer|^iss$|^resource$/, 'https://example.com/'],
  [/^next$|^previous$/, 'https://example.com/things/?page=2'],
  [/path$/, '/media/documents/office-handbook.pdf'],
  [/file_?name|original_name|^archive$/, 'office-handbook.pdf'],
  [/folder/, 'handbooks'],
  [/mime_type/, 'application/pdf'],
  [/domain|host/, 'example.com'],
  [/language/, 'en'],
  [/color/, '#3366cc'],
  [/cron/, '0 9 * * 1'],
  [/timezone/, 'Europe/Zurich'],
  [/^(from|to|date|start_date|end_date)$/, '2026-03-12'],
  [/question|query|prompt|instruction|message/, 'What is the hotel limit in Oslo?'],
  [/answer|reply|text|summary/, 'In Oslo the limit is 190 euros.'],
  [/price/, '29.00'],
  [/currency/, 'EUR'],
  [/^ip$/, '203.0.113.7'],
  [/user_agent/, 'Mozilla/5.0'],
  [/^(state|status|last_status)$/, 'completed'],
  [/sql/, 'SELECT city, sum(cost_eur) FROM trips GROUP BY city'],
  [/otp|recovery_code/, '123456'],
  [/error|reason|warning/, ''],
  [/version/, '1.0'],
  [/model/, 'gpt-5-mini'],
  [/^code$/, 'a_code'],
];

/** Texts for the patterns that fields demand. */
const BY_PATTERN: readonly (readonly [RegExp, string])[] = [
  [/enc:v1/, `enc:v1:${'A'.repeat(16)}:${'B'.repeat(24)}`],
  [/0-9A-Fa-f/, '#3366cc'],
];

function text({ format, pattern, minLength = 0, maxLength = Infinity }: Schema & Bounds, name: string): string {
  const formatted = BY_FORMAT[String(format)];
  if (formatted !== undefined) return formatted;
  const demanded = pattern && BY_PATTERN.find(([known]) => known.test(pattern))?.[1];
  if (demanded) return demanded;
  const said = BY_NAME.find(([known]) => known.test(name))?.[1] ?? 'text';
  const long = said.length < minLength ? said.padEnd(minLength, 'x') : said;
  const cut = long.slice(0, maxLength);
  return pattern && !new RegExp(pattern, 'u').test(cut) ? 'a'.repeat(Math.max(1, minLength)) : cut;
}

interface Bounds {
  format?: string;
  pattern?: string;
  minLength?: number;
  maxLength?: number;
}

/** One value of a schema that holds no others. */
export function exampleWord(schema: Schema, type: unknown, name: string): unknown {
  const { minimum = 1, maximum = Infinity } = schema as { minimum?: number; maximum?: number };
  if (type === 'string') return text(schema, name);
  if (type === 'integer') return Math.min(Math.max(1, minimum), maximum);
  if (type === 'number') return Math.min(Math.max(0.5, minimum), maximum);
  if (type === 'boolean') return true;
  if (type === 'null') return null;
  return {};
}
