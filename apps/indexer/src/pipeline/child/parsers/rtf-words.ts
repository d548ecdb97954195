import { isExponent } from '../markup/inline-text.js';

/** A control word takes the blank behind it, or ends with its line. */
const TOKENS = /\\([a-z]{1,32})(-?\d{1,10})?(?: |[\r\n]+)?|\\'[\da-f]{2}|\\[^a-z]|[{}]|[^\\{}]+|\\/gi;
/** Signs with a name of their own, which officeparser leaves out or shows as they are written. */
const SIGNS: Readonly<Record<string, number>> = {
  emdash: 0x2014,
  endash: 0x2013,
  bullet: 0x2022,
  emspace: 0x2003,
  enspace: 0x2002,
  qmspace: 0x2005,
};
/** Words that stand between others. */
const PARTS = /^(?:par|line|tab|n?cell|n?row|page|sect|u|\w+(?:dash|space)|bullet|[lr]?dblquote|[lr]quote)$/;
/** Words that begin a new line, which officeparser runs together. */
const BREAKS = new Set(['page', 'sect']);

interface State {
  /** `\v`: its author has set it so that nobody sees or prints it. */
  readonly isHidden: boolean;
  /** `\deleted`, of a tracked change. */
  readonly isDeleted: boolean;
  /** `\super`, or `\up` with how far. */
  readonly isRaised: boolean;
}

const PLAIN: State = { isHidden: false, isDeleted: false, isRaised: false };

/** RTF as officeparser understands it: without hidden and deleted words, with signs as numbers of Unicode. */
export function readableRtf(rtf: string): string {
  const outer: State[] = [];
  let state = PLAIN;
  let before = '';
  return rtf.replace(TOKENS, (written: string, word: string | undefined, value: string | undefined) => {
    const token = word === undefined ? written : written.replace(/[\r\n]+$/, ' ');
    if (token === '{') outer.push(state);
    else if (token === '}') state = outer.pop() ?? PLAIN;
    else if (word === 'v') state = { ...state, isHidden: value !== '0' };
    else if (word === 'deleted') state = { ...state, isDeleted: value !== '0' };
    else if (word === 'plain') state = PLAIN;
    else if (word === 'super' || word === 'up') state = { ...state, isRaised: value !== '0' };
    else if (word === 'nosupersub' || word === 'sub' || word === 'dn') state = { ...state, isRaised: false };
    else {
      const text = shown(token, word, state);
      if (word !== undefined) {
        if (PARTS.test(word)) before = '';
        return text;
      }
      // Its own lines mean nothing.
      const words = text.replace(/[\r\n]+/g, '');
      if (words === '') return text;
      const mark = state.isRaised && isExponent(before, words) ? '^' : '';
      before = words;
      return mark + words;
    }
    return token;
  });
}

function shown(token: string, word: string | undefined, { isHidden, isDeleted }: State): string {
  const sign = SIGNS[word ?? ''] ?? (token === '\\~' ? 0xa0 : undefined);
  if ((isHidden || isDeleted) && (word === undefined || word === 'u' || sign !== undefined)) return '';
  if (sign !== undefined) return `{\\uc1\\u${sign}?}`;
  // A hyphen that no line ends at.
  if (token === '\\_') return '-';
  return BREAKS.has(word ?? '') ? '\\par ' : token;
}
