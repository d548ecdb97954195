/** A word, number, sign or quoted text of a question. */
export interface Word {
  /** As written. */
  text: string;
  /** For comparing: see `normalise`. */
  norm: string;
  quoted: boolean;
}

const WORD =
  /"([^"]*)"|“([^”]*)”|«([^»]*)»|'([^']*)'(?![\p{L}\p{N}])|[<>]=?|=|-?[\p{N}]+(?:[.,:/-][\p{N}]+)*|[\p{L}\p{M}_][\p{L}\p{M}\p{N}_]*/gu;

export function wordsOf(question: string): Word[] {
  return [...question.matchAll(WORD)].map(([text, ...quotes]) => {
    const inner = quotes.find((quote) => quote !== undefined);
    return { text: inner ?? text, norm: normalise(inner ?? text), quoted: inner !== undefined };
  });
}

/** Lower case, one form of each Arabic letter, no vowel signs, Western digits. */
export function normalise(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[\u064B-\u065F\u0670\u0640]/g, '')
    .replace(/[أإآٱ]/g, 'ا')
    .replaceAll('ى', 'ي')
    .replaceAll('ة', 'ه')
    .replace(/[٠-٩]/g, (digit) => String(digit.charCodeAt(0) - 0x660))
    .replace(/[۰-۹]/g, (digit) => String(digit.charCodeAt(0) - 0x6f0))
    .trim();
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
  return normalise(spaced)
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');
});

/** The words of a value, for comparing. */
export const valueWords = remembering((value) => wordsOf(value).map(({ norm }) => norm));

/** What a word may be without its ending or its article: equal sets of forms mean the same word. */
export const formsOf = remembering((norm) => {
  const forms = [norm];
  if (/^[a-z]+$/.test(norm)) {
    if (norm.endsWith('ies') && norm.length > 4) forms.push(`${norm.slice(0, -3)}y`);
    if (/(?:s|x|ch|sh)es$/.test(norm)) forms.push(norm.slice(0, -2));
    if (norm.endsWith('s') && !norm.endsWith('ss') && norm.length > 3) forms.push(norm.slice(0, -1));
  }
  const arabic = /^(?:[وبفلك]?ال|لل)(?=\p{L}{2})/u.exec(norm);
  if (arabic) forms.push(norm.slice(arabic[0].length));
  // «في» is one word, «بمدينة» two: only what remains long enough is looked at.
  if (/^[وبلف]\p{Script=Arabic}{3,}$/u.test(norm)) forms.push(norm.slice(1));
  return forms;
});

export function sameWord(one: string, other: string): boolean {
  const forms = formsOf(other);
  return formsOf(one).some((form) => forms.includes(form));
}
