/** A picture of the platform itself: a path of stored media. */
export const OWN_PICTURE = /^\/media\/[\w\-./%~]*(?:\?[\w=&%.~-]*)?$/;

/** Without attributes, so that it can load nothing. */
export const BARE_TAG = /^<\/?([a-zA-Z][a-zA-Z0-9-]*)[ \t]*\/?>$/;

const names = (text: string) => new Set(text.split(' '));

/** They load or change something by being there, or hide where Markdown begins again. */
export const HARMFUL = names(
  'pre script style textarea svg math iframe object embed img image picture source video audio track input link meta base noscript title xmp plaintext template frame frameset body html head form button select marquee portal noframes noembed',
);

/** Of HTML: what begins like them is no comparison of letters. */
export const KNOWN_NAMES = new Set([
  ...HARMFUL,
  ...names(
    'a abbr address area article aside b bdi bdo blockquote br canvas caption center cite code col colgroup data datalist dd del details dfn dialog dir div dl dt em fieldset figcaption figure font footer h1 h2 h3 h4 h5 h6 header hgroup hr i ins kbd label legend li main map mark menu menuitem meter nav ol optgroup option output p param progress q rp rt ruby s samp search section slot small span strong sub summary sup table tbody td tfoot th thead time tr u ul var wbr',
  ),
]);

/** @param tag from `<` to `>` */
export function isAutolink(tag: string): boolean {
  return /^<(?:[a-zA-Z][a-zA-Z0-9+.-]{1,31}:[^\s<>`]*|[\w.+-]+@[\w.-]+)>$/.test(tag);
}

export interface Fence {
  mark: string;
  length: number;
  indent: number;
  /** Not within a quote or a list item that begins on its line, and not too far in. */
  isPlain: boolean;
}

/** @param line a whole one. Null where it opens no block of code. */
export function readFence(line: string): Fence | null {
  const found = /^((?:[ \t]|>|(?:[*+-]|\d{1,9}[.)])(?=[ \t]))*)(`{3,}|~{3,})(.*)$/s.exec(line);
  if (!found) return null;
  const [, before = '', run = '', info = ''] = found;
  const mark = run[0]!;
  if (mark === '`' && info.includes('`')) return null;
  return { mark, length: run.length, indent: before.length, isPlain: /^ {0,3}$/.test(before) };
}

export type FoundPicture =
  /** What follows is needed first. */
  | { kind: 'unfinished' }
  /** It can be no picture. */
  | { kind: 'none' }
  | { kind: 'inline'; text: string; address: string; asLink: string }
  /** It is one if there is a definition. */
  | { kind: 'reference' }
  /** It may be one, written in another way than people and models do. */
  | { kind: 'odd' };

const SIMPLE =
  /^!\[([^[\]\\`<\r\n]*)\]\([ \t]*(<[^<>\r\n`\\]*>|[^\s()<>`\\]*)([ \t]+(?:"[^"\r\n\\`]*"|'[^'\r\n\\`]*'))?[ \t]*\)/;

/**
 * @param region begins with `![`, and ends with its paragraph or earlier
 * @param ended `paragraph`: nothing that follows belongs to it; `cut`: something may; null: it is not all there yet
 */
export function pictureAt(region: string, ended: 'paragraph' | 'cut' | null): FoundPicture {
  const simple = SIMPLE.exec(region);
  if (simple) {
    const [text, alt = '', raw = '', title = ''] = simple;
    const address = raw.replace(/^<(.*)>$/, '$1');
    return { kind: 'inline', text, address, asLink: toLink(alt, address, raw + title) };
  }
  const close = closing(region);
  if (close < 0) {
    if (ended === null) return { kind: 'unfinished' };
    return ended === 'paragraph' && !region.includes('](') ? { kind: 'none' } : { kind: 'odd' };
  }
  const next = region[close + 1];
  if (next === undefined) {
    if (ended === null) return { kind: 'unfinished' };
  }
  if (next === '(') return ended === null ? { kind: 'unfinished' } : { kind: 'odd' };
  return /[`<]/.test(region.slice(2, close)) ? { kind: 'odd' } : { kind: 'reference' };
}

function closing(region: string): number {
  let depth = 1;
  for (let at = 2; at < region.length; at += 1) {
    const char = region[at];
    if (char === '\\') at += 1;
    else if (char === '[') depth += 1;
    else if (char === ']') depth -= 1;
    if (depth === 0) return at;
  }
  return -1;
}

/** A link takes a click, a picture does not. */
function toLink(alt: string, address: string, target: string): string {
  const url = URL.parse(address, 'https://none.invalid/');
  const isWeb = url !== null && /^https?:$/.test(url.protocol) && url.hostname !== 'none.invalid';
  const where = isWeb ? `picture at ${url.host}` : 'picture';
  const text = alt.trim() === '' ? where : `${alt.trim()} (${where})`;
  return isWeb ? `[${text}](${target})` : text;
}
