/** What decides whether text is seen, as far as pages say it in their own style sheets. */
const READ = new Set([
  'display',
  'visibility',
  'opacity',
  'font-size',
  'color',
  'background',
  'background-color',
  'background-image',
  'position',
  'vertical-align',
]);
/** More of one page is made to keep us busy. */
const MAX_RULES = 10_000;
const MAX_SELECTOR = 300;
const MAX_NESTED = 4;

export type Declarations = ReadonlyMap<string, { value: string; important: boolean }>;

/** Part of a selector that one element has to match. */
export interface Compound {
  tag: string | null;
  id: string | null;
  classes: string[];
  attributes: { name: string; value: string | null }[];
  /** Directly inside of what the next one is. */
  isChild: boolean;
}

export interface StyleRule {
  /** From the element itself outwards. */
  compounds: Compound[];
  specificity: number;
  declarations: Declarations;
}

/** The rules that hold on a screen; those with selectors that depend on what a person does are left out. */
export function parseStyles(css: string): StyleRule[] {
  const rules: StyleRule[] = [];
  readBlock(css.replace(/\/\*[\s\S]*?(?:\*\/|$)|<!--|-->/g, ' '), rules, 0);
  return rules;
}

export function parseDeclarations(text: string): Declarations {
  const found = new Map<string, { value: string; important: boolean }>();
  for (const part of text.split(';')) {
    const colon = part.indexOf(':');
    const name = part.slice(0, colon).trim().toLowerCase();
    if (colon < 0 || !READ.has(name)) continue;
    const written = part
      .slice(colon + 1)
      .trim()
      .toLowerCase();
    const value = written.replace(/\s*!\s*important$/, '');
    const important = value !== written;
    if (value !== '' && (important || found.get(name)?.important !== true)) found.set(name, { value, important });
  }
  return found;
}

function readBlock(css: string, into: StyleRule[], depth: number): void {
  if (depth > MAX_NESTED) return;
  let at = 0;
  while (at < css.length && into.length < MAX_RULES) {
    const open = css.indexOf('{', at);
    if (open < 0) return;
    const end = closing(css, open);
    // `@import …;` and the like have no block.
    const prelude = css.slice(at, open).split(';').at(-1)!.trim();
    const body = css.slice(open + 1, end);
    at = end + 1;
    if (prelude.startsWith('@')) {
      if (/^@media\s+(?:only\s+)?(?:screen|all)\s*$/i.test(prelude)) readBlock(body, into, depth + 1);
    } else addRules(prelude, body, into);
  }
}

function closing(css: string, open: number): number {
  let depth = 0;
  for (let at = open; at < css.length; at += 1) {
    if (css[at] === '{') depth += 1;
    else if (css[at] === '}' && --depth === 0) return at;
  }
  return css.length;
}

function addRules(prelude: string, body: string, into: StyleRule[]): void {
  const declarations = parseDeclarations(body);
  if (declarations.size === 0) return;
  for (const selector of prelude.split(',')) {
    const compounds = parseSelector(selector.trim());
    if (compounds === null) continue;
    const count = (of: (compound: Compound) => number) => compounds.reduce((sum, each) => sum + of(each), 0);
    const specificity =
      count(({ id }) => (id === null ? 0 : 1)) * 1e6 +
      count(({ classes, attributes }) => classes.length + attributes.length) * 1e3 +
      count(({ tag }) => (tag === null ? 0 : 1));
    into.push({ compounds, specificity, declarations });
  }
}

const SIMPLE =
  /[.#]?-?[_a-z\u0080-\uffff][-\w\u0080-\uffff]*|\*|\[\s*[-\w]+\s*(?:=\s*(?:"[^"]*"|'[^']*'|[-\w]+)\s*)?\]/giy;

/** @returns null for one that we cannot follow */
function parseSelector(selector: string): Compound[] | null {
  if (selector === '' || selector.length > MAX_SELECTOR) return null;
  const compounds: Compound[] = [];
  for (const piece of selector.replace(/\s*>\s*/g, ' >').split(/\s+(?![^[]*\])/)) {
    const isChild = piece.startsWith('>');
    const compound = parseCompound(isChild ? piece.slice(1) : piece);
    if (compound === null || (isChild && compounds.length === 0)) return null;
    compounds.unshift({ ...compound, isChild });
  }
  return compounds;
}

function parseCompound(written: string): Compound | null {
  const compound: Compound = { tag: null, id: null, classes: [], attributes: [], isChild: false };
  let end = 0;
  for (const [part] of written.matchAll(SIMPLE)) {
    end += part.length;
    if (part.startsWith('.')) compound.classes.push(part.slice(1));
    else if (part.startsWith('#')) compound.id = part.slice(1);
    else if (part.startsWith('[')) {
      const [name = '', value] = part.slice(1, -1).split('=');
      const unquoted = value?.trim().replace(/^(["'])(.*)\1$/, '$2');
      compound.attributes.push({ name: name.trim().toLowerCase(), value: unquoted ?? null });
    } else if (part !== '*') compound.tag = part.toLowerCase();
  }
  return end > 0 && end === written.length ? compound : null;
}
