import { ValidationError } from '@app/common';

/** A header further down is no header. */
const LAST_HEADER_ROW = 100;

const DELIMITER_NAMES: Readonly<Record<string, string>> = {
  comma: ',',
  semicolon: ';',
  tab: '\t',
  '\\t': '\t',
  pipe: '|',
};

/** `auto`, or the row as digits, `0` for none. @throws ValidationError */
export function readHeaderRow(raw: string): string {
  const text = raw.trim().toLowerCase();
  if (text === '' || text === 'auto') return 'auto';
  if (['none', 'no', 'false', '0'].includes(text)) return '0';
  if (['true', 'yes'].includes(text)) return '1';
  const row = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (!(row >= 1 && row <= LAST_HEADER_ROW))
    throw new ValidationError({ header_row: [`Use "auto", "none", or a row from 1 to ${LAST_HEADER_ROW}.`] });
  return String(row);
}

/** `auto`, or one character. @throws ValidationError */
export function readDelimiter(raw: string): string {
  const name = raw.trim().toLowerCase();
  if (raw === '' || name === 'auto') return 'auto';
  const character = DELIMITER_NAMES[name] ?? (name === '' ? raw : name);
  // What can stand in a number, a name or a quoted cell would part cells in their midst.
  if (!/^[\t !#$%&*+,/:;<=>?@\\^_|~]$/.test(character))
    throw new ValidationError({
      delimiter: ['Use "auto", one punctuation character, or "comma", "semicolon", "tab" or "pipe".'],
    });
  return character;
}

/** `auto`, or the canonical name of an encoding. @throws ValidationError */
export function readEncoding(raw: string): string {
  const label = raw.trim().toLowerCase();
  if (label === '' || label === 'auto') return 'auto';
  try {
    return new TextDecoder(label).encoding;
  } catch (error) {
    throw new ValidationError({ encoding: [`The encoding "${label}" is not known.`] }, { cause: error });
  }
}
