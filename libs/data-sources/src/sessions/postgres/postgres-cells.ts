import { parseKeepingNumbers } from '@app/common';
import { exactNumber } from '../exact-number.js';
import type { SourceCell, SourceColumnType } from '../../shapes/result-shapes.js';

type Read = (text: string) => SourceCell;

interface Kind {
  type: SourceColumnType;
  read: Read;
}

const asText: Read = (text) => text;
const asDouble: Read = (text) => (Number.isFinite(Number(text)) ? Number(text) : null);
/** `2026-01-31 12:00:00+00`; what lies before Christ or never comes stays as it is written. */
const asDateTime: Read = (text) => (/^\d/.test(text) ? text.replace(' ', 'T').replace(/\+00$/, 'Z') : text);
const asBytes: Read = (text) => Buffer.from(text.replace(/^\\x/, ''), 'hex').toString('base64');
const asJson: Read = (text) => {
  try {
    return parseKeepingNumbers(text) as SourceCell;
  } catch {
    return text;
  }
};

/** By the numbers that types have in every Postgres; all others are texts, in its own writing. */
const KINDS = new Map<number, Kind>([
  [16, { type: 'boolean', read: (text) => text === 't' }],
  [17, { type: 'text', read: asBytes }],
  ...[20, 21, 23, 26].map((oid): [number, Kind] => [oid, { type: 'integer', read: exactNumber }]),
  ...[700, 701].map((oid): [number, Kind] => [oid, { type: 'number', read: asDouble }]),
  [1700, { type: 'number', read: exactNumber }],
  [1082, { type: 'date', read: asText }],
  ...[1114, 1184].map((oid): [number, Kind] => [oid, { type: 'datetime', read: asDateTime }]),
  ...[114, 3802].map((oid): [number, Kind] => [oid, { type: 'json', read: asJson }]),
]);

/** Arrays, and of what type their items are. */
const ARRAYS = new Map<number, number>([
  [1000, 16],
  [1001, 17],
  [1005, 21],
  [1007, 23],
  [1016, 20],
  [1021, 700],
  [1022, 701],
  [1231, 1700],
  [1182, 1082],
  [1115, 1114],
  [1185, 1184],
  [199, 114],
  [3807, 3802],
  [1009, 25],
  [1014, 1042],
  [1015, 1043],
  [1003, 19],
  [2951, 2950],
  [1002, 18],
  [1028, 26],
  [143, 142],
  [791, 790],
  [1183, 1083],
  [1270, 1266],
  [1187, 1186],
  [1041, 869],
  [651, 650],
  [1040, 829],
  [775, 774],
  [1561, 1560],
  [1563, 1562],
  [3643, 3614],
  [3905, 3904],
  [3907, 3906],
  [3909, 3908],
  [3911, 3910],
  [3913, 3912],
  [3927, 3926],
]);
/** From this number on, types are those of the database's people. */
const FIRST_OF_PEOPLE = 16_384;

const TEXT: Kind = { type: 'text', read: asText };

export const isPeoplesType = (oid: number): boolean => oid >= FIRST_OF_PEOPLE;

/** How values of a type are told. @param item of what type its items are, of an array of a type of the database's people */
export function postgresKind(oid: number, item = ARRAYS.get(oid)): Kind {
  if (item === undefined) return KINDS.get(oid) ?? TEXT;
  const { read } = KINDS.get(item) ?? TEXT;
  return { type: 'json', read: (text) => readArray(text, read) };
}

/** `{1,NULL,"a \"b\""}`, however deep. */
function readArray(text: string, read: Read): SourceCell {
  // Bounds that do not begin at 1 come first: [0:2]={...}
  let at = text.startsWith('[') ? text.indexOf('=') + 1 : 0;
  const item = (): SourceCell => {
    if (text[at] === '{') return list();
    if (text[at] !== '"') {
      const end = text.slice(at).search(/[,}]/);
      const raw = text.slice(at, end < 0 ? undefined : at + end);
      at += Math.max(raw.length, 1);
      return raw === 'NULL' ? null : read(raw);
    }
    let value = '';
    for (at += 1; at < text.length && text[at] !== '"'; at += 1) {
      if (text[at] === '\\') at += 1;
      value += text[at] ?? '';
    }
    at += 1;
    return read(value);
  };
  const list = (): SourceCell[] => {
    const items: SourceCell[] = [];
    at += 1;
    while (at < text.length && text[at] !== '}') {
      if (text[at] === ',') at += 1;
      else items.push(item());
    }
    at += 1;
    return items;
  };
  return text[at] === '{' ? list() : text;
}
