import type { TableColumn } from '../columns/table-column.js';
import { keysOfName, labelKey } from './label-key.js';
import type { Field, FieldKind } from './field.js';
import { ITEM_FIELDS } from './item-lexicon.js';
import { FIELDS } from './lexicon.js';

/** What a column asks for, as labels. */
export interface AskedField {
  column: TableColumn;
  kind: FieldKind;
  /** Keys of labels, best first. */
  tiers: readonly ReadonlySet<string>[];
  /** Of the lexicon; null: the column's own words alone. */
  field: string | null;
  /** No label answers it: whoever asks wants it understood. */
  understanding: boolean;
}

/** What asks to think about a document, not to look something up in it. */
const THINKING =
  /\b(?:summar\w*|explain\w*|why|how many|how much more|how|count|calculat\w*|comput\w*|convert\w*|translat\w*|classif\w*|categor\w*|sentiment|opinion|tone|mood|whether|average|mean|compar\w*|describ\w*|infer\w*|estimat\w*|decide|assess\w*|evaluat\w*|judge|analy[sz]\w*|difference|highest|lowest|longest|latest|earliest|largest|smallest|most|least|list all|rewrite|paraphrase|generate|suggest\w*|recommend\w*|key points?|sum of|add up|multipl\w*|minus|per month|per year|days between|zusammenfass\w*|warum|wieso|wie viele|berechne\w*|ob|übersetz\w*|bewert\w*|stimmung|résum\w*|pourquoi|combien|calcul\w*|resum\w*|por qué|cuánt\w*)\b|لخص|ملخص|تلخيص|هل|لماذا|كم عدد|احسب|ترجم|صنف هذا|اشرح|\?|؟/iu;
const QUESTION = /^(?:is|are|does|do|did|has|have|was|were|can|could|should|will|ist|sind|hat|gibt|est-ce)\b/iu;
const NEGATION =
  /\b(?:not|never|without|except|rather than|instead of|nicht|ohne|pas|sans|no la|sin)\b.*$|وليس.*$|بدون.*$/iu;
const QUOTED = /["“„«‘']([^"”“»’']{2,60})["”“»’']/gu;
const MAX_INSTRUCTION = 400;

export function askField(column: TableColumn, items: boolean): AskedField {
  const fields = items ? ITEM_FIELDS : FIELDS;
  const names = keysOfName(column.name);
  const instruction = column.instruction.slice(0, MAX_INSTRUCTION).trim();
  const quoted = [...instruction.matchAll(QUOTED)].map((match) => labelKey(match[1] ?? '')).filter(Boolean);
  const bare = instruction.replace(QUOTED, ' ').replace(NEGATION, '');
  const byName = names.map((name) => fieldOf(name, fields, column)).find((one) => one !== undefined);
  const named = fieldsIn(bare, fields);
  // What the instruction says is nearer to what is meant than the name: "Date", "the day on which it is due".
  const byInstruction = named.length === 1 ? named[0] : named.find((one) => one === byName);
  const field = byInstruction ?? byName ?? null;
  const known = field === null ? null : (fields.get(field) ?? null);
  const own = new Set([...quoted, ...(byInstruction === undefined || byInstruction === byName ? names : [])]);
  if (column.instruction !== '' && bare.split(/\s+/).length <= 5) own.add(labelKey(bare));
  own.delete('');
  return {
    column,
    kind: kindOf(column, known),
    tiers: tiersOf(own, known, quoted.length > 0),
    field,
    understanding: needsUnderstanding(column, instruction, field !== null || quoted.length > 0),
  };
}

/** The column's own words first, where they are words of no other tier of its field: "Total" is no better than "Grand total". */
function tiersOf(own: ReadonlySet<string>, known: Field | null, isQuoted: boolean): ReadonlySet<string>[] {
  if (known === null) return [own];
  if (isQuoted) return [own, ...known.tiers];
  const inTiers = new Set(known.tiers.flatMap((tier) => [...tier]));
  const [first = new Set<string>(), ...rest] = known.tiers;
  // Numbers of documents are several on most of them: the very one that is asked for is the best.
  const very = known.kind === 'identifier' ? [...own].filter((key) => first.has(key) && key.includes(' ')) : [];
  if (very.length > 0) return [new Set(very), ...known.tiers];
  return [new Set([...first, ...[...own].filter((key) => !inTiers.has(key))]), ...rest];
}

function fieldOf(key: string, fields: ReadonlyMap<string, Field>, column: TableColumn): string | undefined {
  for (const depth of [0, 1, 2])
    for (const [name, field] of fields)
      if (field.tiers[depth]?.has(key) === true && fits(field.kind, column)) return name;
  const spelled = key.replaceAll(' ', '_').replace(/_no$/, '_number');
  return fields.has(spelled) ? spelled : undefined;
}

const fits = (kind: FieldKind, { outputType, format }: TableColumn): boolean => {
  if (format === 'currency') return kind === 'money';
  if (format === 'percent') return kind === 'percent';
  if (outputType === 'number') return ['money', 'percent', 'number', 'identifier', 'code'].includes(kind);
  if (format === 'date' || format === 'datetime') return kind === 'date';
  return true;
};

/** Fields of which a label stands in a text, the longest label first; words of one label are of no other. */
function fieldsIn(text: string, fields: ReadonlyMap<string, Field>): string[] {
  const words = labelKey(text).split(' ');
  const found = new Set<string>();
  for (let at = 0; at < words.length; at += 1)
    for (let length = Math.min(6, words.length - at); length > 0; length -= 1) {
      const key = words.slice(at, at + length).join(' ');
      // One word says little within a sentence.
      const field = length === 1 && words.length > 3 && key.length < 7 ? undefined : fieldNamed(key, fields);
      if (field === undefined) continue;
      found.add(field);
      at += length - 1;
      break;
    }
  return [...found];
}

const fieldNamed = (key: string, fields: ReadonlyMap<string, Field>) =>
  [...fields].find(([, field]) => field.tiers[0]?.has(key) === true)?.[0];

function kindOf({ outputType, format }: TableColumn, known: Field | null): FieldKind {
  if (format === 'date' || format === 'datetime') return 'date';
  if (format === 'email' || format === 'iban') return format;
  if (outputType === 'number') {
    if (format === 'currency') return 'money';
    if (format === 'percent') return 'percent';
    return known?.kind === 'money' || known?.kind === 'percent' ? known.kind : 'number';
  }
  return known?.kind ?? 'text';
}

function needsUnderstanding({ outputType, name }: TableColumn, instruction: string, known: boolean): boolean {
  if (outputType === 'object') return true;
  if (THINKING.test(instruction.replace(QUOTED, ' ')) || QUESTION.test(instruction)) return true;
  if (
    /\?|؟/u.test(name) ||
    /^(?:summary|sentiment|risk|risks|topic|topics|category|opinion|tone|ملخص|zusammenfassung|résumé|resumen)$/iu.test(
      name.trim(),
    )
  )
    return true;
  // A sentence that names no label asks for something that no label says.
  return !known && instruction.split(/\s+/).length > 8;
}
