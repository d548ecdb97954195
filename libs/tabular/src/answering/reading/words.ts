import type { LanguageCode } from './lexicon/language.js';

/** A word, number, sign or quoted text of a question. */
export interface Word {
  /** As written. */
  text: string;
  /** For comparing with names and values: see `fold`. */
  norm: string;
  /** For comparing with words of asking: accents stay, since `à` is not `a`. */
  plain: string;
  quoted: boolean;
  /** In which it is read. */
  language: LanguageCode;
  /** Whether the next word is written onto it, as in `temp_max`. */
  glued: boolean;
  /** Where it stands in the text, in UTF-16 code units, quotation marks included. */
  start: number;
  end: number;
}

/** Quoted text; a negative number of accounts; numbers with what is written onto them; words; any other sign but dropped ones. */
const WORD =
  /"([^"]*)"|“([^”]*)”|„([^“”]*)[“”]|«([^»]*)»|(?<![\p{L}\p{N}])['‘]([^'’]*)['’](?![\p{L}\p{N}])|\(\s*[$€£]?\p{N}[\p{N}.,]*\s*\)|[<>]=?|!=|<>|=|(?:(?<![\p{L}\p{N}.])[-−])?[$€£¥]?\p{N}+(?:[.,:/-]\p{N}+)*(?:\p{L}+|[%٪])?|\p{L}[\p{L}\p{M}\p{N}]*(?:['’]\p{L}+)*|[^\s\p{Cf}]/gu;

/** Signs that say nothing where they stand alone; a hyphen only within a word, a `#` only before a number. `_` parts words. */
const SILENT = new Set(['?', '؟', '¿', '¡', '.', ':', '!', '…', '(', ')', '[', ']']);

export function textOf(words: readonly Word[]): string {
  return words.map(({ text }) => text).join(' ');
}

/** Every sign of a question that could mean something is in one of its words: what a reader does not know, it must see. */
export function wordsOf(question: string): Word[] {
  return [...question.matchAll(WORD)].flatMap((match) => {
    const [text, ...quotes] = match;
    const start = match.index;
    if (SILENT.has(text) || isInner(text, question, start)) return [];
    const inner = quotes.find((quote) => quote !== undefined);
    const shown = inner ?? text;
    const end = start + text.length;
    const glued = inner === undefined && /^_+[\p{L}\p{N}]/u.test(question.slice(end, end + 8));
    return [
      {
        text: shown,
        norm: fold(shown),
        plain: normalise(shown),
        quoted: inner !== undefined,
        language: 'en',
        glued,
        start,
        end,
      },
    ];
  });
}

function isInner(text: string, question: string, at: number): boolean {
  if (text === '#') return /\p{N}/u.test(question[at + 1] ?? '');
  const between = /[\p{L}\p{N}]/u.test(question[at - 1] ?? '') && /[\p{L}\p{N}]/u.test(question[at + 1] ?? '');
  return text === '_' || (text === '-' && between);
}

/** Lower case, one form of each Arabic letter, no vowel signs, Western digits. */
export function normalise(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll('’', "'")
    .replace(/[\u064B-\u065F\u0670\u0640]/g, '')
    .replace(/[أإآٱ]/g, 'ا')
    .replaceAll('ى', 'ي')
    .replaceAll('ة', 'ه')
    .replace(/[٠-٩]/g, (digit) => String(digit.charCodeAt(0) - 0x660))
    .replace(/[۰-۹]/g, (digit) => String(digit.charCodeAt(0) - 0x6f0))
    .replace(/\s+/g, ' ')
    .trim();
}

/** Like `normalise`, and without the accents of Latin letters: `Zürich` is asked for as `Zurich`. */
export function fold(text: string): string {
  return normalise(text)
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .normalize('NFC');
}

/** Names and values come up again with each word of a question. */
const REMEMBERED = 20_000;

function remembering(make: (text: string) => readonly string[]): (text: string) => readonly string[] {
  const known = new Map<string, readonly string[]>();
  return (text) => {
    const found = known.get(text) ?? make(text);
    if (known.size >= REMEMBERED) known.clear();
    known.set(text, found);
    return found;
  };
}

/** The words of a name: `OrderDate`, `order_date` and `Order date` are the same two. */
export const nameWords = remembering((name) => {
  const spaced = name.replace(/([\p{Ll}\p{N}])(\p{Lu})/gu, '$1 $2');
  return fold(spaced)
    .split(/[^\p{L}\p{N}\p{M}]+/u)
    .filter((word) => word !== '');
});

/** The words of a value, for comparing. */
export const valueWords = remembering((value) =>
  wordsOf(value)
    .map(({ norm }) => norm)
    .filter((word) => word !== ','),
);

/** `South Asia` as `south_asia` and `south-asia` are written: for values that are looked for letter by letter. */
export function spaced(text: string): string {
  return fold(text)
    .replace(/[\s_-]+/g, ' ')
    .trim();
}

const arabicScript = /^\p{Script=Arabic}+$/u;

/** Arabic plurals that change the word within, and their singulars. */
const BROKEN_PLURALS: ReadonlyMap<string, string> = new Map(
  `عملاء عميل|زباين زبون|زبائن زبون|مدن مدينه|طلاب طالب|تلاميذ تلميذ|فروع فرع|اقسام قسم|دول دوله|بلدان بلد|مدارس مدرسه|فواتير فاتوره|اسعار سعر
   مبالغ مبلغ|رواتب راتب|ارقام رقم|اسماء اسم|اصناف صنف|سلع سلعه|مناطق منطقه|شركات شركه|مرضي مريض|اطباء طبيب|مواد ماده|صفوف صف|فصول فصل|غرف غرفه
   درجات درجه|مخازن مخزن|متاجر متجر|موردين مورد|مصانع مصنع|مشاريع مشروع|عقود عقد|رحلات رحله|كتب كتاب|افلام فيلم|لاعبين لاعب|فرق فريق|انواع نوع
   وظايف وظيفه|وظائف وظيفه|قنوات قناه|اجهزه جهاز|طرق طريقه|تواريخ تاريخ|اعمار عمر|شواحن شاحن|اوزان وزن`
    .split(/[|\n]/)
    .map((pair) => pair.trim().split(' '))
    .map(([plural, singular]) => [plural!, singular!] as const),
);

/** «منتجات» of «منتج», «كميات» of «كميه», «موظفين» of «موظف», «عملاء» of «عميل». */
function singulars(norm: string): string[] {
  const broken = BROKEN_PLURALS.get(norm);
  if (broken !== undefined) return [broken];
  const feminine = /^(\p{L}{3,})ات$/u.exec(norm)?.[1];
  if (feminine !== undefined) return [feminine, `${feminine}ه`];
  const masculine = /^(\p{L}{3,})(?:ين|ون)$/u.exec(norm)?.[1];
  return masculine === undefined ? [] : [masculine];
}

/** What a word may be without its ending or its article: equal sets of forms mean the same word. */
export const formsOf = remembering((norm) => {
  const forms = [norm];
  const owner = /^(.+?)'s?$/.exec(norm);
  if (owner) forms.push(owner[1]!);
  if (/^[a-z]+$/.test(norm)) {
    if (norm.endsWith('ies') && norm.length > 4) forms.push(`${norm.slice(0, -3)}y`);
    if (/(?:s|x|ch|sh)es$/.test(norm)) forms.push(norm.slice(0, -2));
    if (norm.endsWith('s') && !norm.endsWith('ss') && norm.length > 3) forms.push(norm.slice(0, -1));
  }
  const arabic = /^(?:[وبفلك]?ال|لل)(?=\p{L}{2})/u.exec(norm);
  if (arabic) forms.push(norm.slice(arabic[0].length));
  if (arabicScript.test(norm)) forms.push(...forms.flatMap(singulars));
  // «في» is one word, «بمدينة» two: only what remains long enough is looked at.
  if (/^[وبلف]\p{Script=Arabic}{3,}$/u.test(norm)) forms.push(norm.slice(1));
  return forms;
});

export function sameWord(one: string, other: string): boolean {
  const forms = formsOf(other);
  return formsOf(one).some((form) => forms.includes(form));
}

/** `Filmliste` is a list of films: the word without what says so; itself where nothing does. */
export function withoutLabel(norm: string): string {
  const bare = /^(\p{L}{4,})(?:liste|tabelle|daten|ubersicht|verzeichnis|datei|lijst|bestand|gegevens)$/u.exec(norm);
  return bare?.[1] ?? norm;
}
