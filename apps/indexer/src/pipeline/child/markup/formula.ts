import { childOf, childrenOf, descend, textOf, type MarkupElement } from './element.js';

/** Elements of MathML that say more by where their parts stand than by what these are. */
const PLACED = [
  'mfrac',
  'msup',
  'msub',
  'msubsup',
  'munder',
  'mover',
  'munderover',
  'msqrt',
  'mroot',
  'mtable',
] as const;

export type PlacedFormula = (typeof PLACED)[number];

/** @param name without its prefix */
export function isPlacedFormula(name: string): name is PlacedFormula {
  return PLACED.some((placed) => placed === name);
}

/** A formula of MathML on one line, as it is typed. @param parts of a table its rows, else what it is made of */
export function withFormula(before: string, name: PlacedFormula, parts: readonly string[]): string {
  const [first = '', second = '', third = ''] = parts;
  switch (name) {
    case 'mfrac':
      return `${before}${/[\p{L}\p{N}]$/u.test(before) ? ' ' : ''}${fraction(first, second)}`;
    case 'msup':
    case 'mover':
      return before + scripts(first, '', second);
    case 'msub':
    case 'munder':
      return before + scripts(first, second, '');
    case 'msubsup':
    case 'munderover':
      return before + scripts(first, second, third);
    case 'msqrt':
      return before + root(parts.join(''), '');
    case 'mroot':
      return before + root(first, second);
    case 'mtable':
      return before + matrix(parts);
  }
}

/** What is more than a number or a name is set in brackets. */
export function asPart(formula: string): string {
  const text = formula.trim();
  return /^(?:[\p{L}\p{N}.,]*|\([^()]*\))$/u.test(text) ? text : `(${text})`;
}

function fraction(above: string, below: string): string {
  return `${asPart(above)}/${asPart(below)}`;
}

/** What is raised or lowered is told apart from what it stands beside: x₁² is neither x12 nor x1 2. */
function scripts(base: string, lower: string, upper: string): string {
  return [base, lower.trim() && `_${asPart(lower)}`, upper.trim() && raised(upper)].join('');
}

/** A bar or an arrow above a letter belongs to it, and is no exponent. */
function raised(upper: string): string {
  return /^\s*[\p{M}\p{Sk}\u2190-\u21ff\u203e\u00af\u23de]\s*$/u.test(upper) ? '' : `^${asPart(upper)}`;
}

function root(radicand: string, degree: string): string {
  return `√${degree.trim() === '' ? '' : `[${degree.trim()}]`}${asPart(radicand)}`;
}

function matrix(rows: readonly string[]): string {
  return `[${rows.map((row) => row.trim()).join('; ')}]`;
}

/** Words that a tracked change has deleted, and properties, are none of a formula. */
const isNoPart = ({ name }: MarkupElement) => name === 'w:del' || name === 'w:moveFrom' || name.endsWith('Pr');

/**
 * A formula of an office file on one line, as it is typed; how it looks is left out.
 * @param isUnseen of which parts nobody sees anything
 */
export function officeFormula(element: MarkupElement, isUnseen: (part: MarkupElement) => boolean): string {
  const inner = (parent: MarkupElement | undefined): string =>
    childrenOf(parent)
      .filter((child) => !isNoPart(child) && !isUnseen(child))
      .map((child) => officeFormula(child, isUnseen))
      .join('');
  const part = (name: string) => inner(childOf(element, name));
  const setting = (name: string) => descend(element, `${element.name}Pr`, name)?.attributes['m:val'];
  switch (element.name) {
    case 'm:t':
      return textOf(element);
    case 'm:f':
      return fraction(part('m:num'), part('m:den'));
    case 'm:sSup':
    case 'm:sSub':
    case 'm:sSubSup':
      return scripts(part('m:e'), part('m:sub'), part('m:sup'));
    case 'm:sPre':
      return scripts('', part('m:sub'), part('m:sup')) + part('m:e');
    case 'm:limLow':
      return `${scripts(part('m:e'), part('m:lim'), '')} `;
    case 'm:limUpp':
      return `${scripts(part('m:e'), '', part('m:lim'))} `;
    case 'm:nary':
      return `${scripts(setting('m:chr') ?? '∫', part('m:sub'), part('m:sup'))} ${part('m:e')}`;
    case 'm:rad':
      return root(part('m:e'), part('m:deg'));
    case 'm:d':
      return [
        setting('m:begChr') ?? '(',
        childrenOf(element, 'm:e')
          .map(inner)
          .join(setting('m:sepChr') ?? '|'),
        setting('m:endChr') ?? ')',
      ].join('');
    case 'm:func':
      return `${part('m:fName').trimEnd()} ${part('m:e')}`;
    case 'm:m':
      return matrix(childrenOf(element, 'm:mr').map((row) => childrenOf(row, 'm:e').map(inner).join(', ')));
    case 'm:eqArr':
      return childrenOf(element, 'm:e').map(inner).join('; ');
    default:
      return inner(element);
  }
}
