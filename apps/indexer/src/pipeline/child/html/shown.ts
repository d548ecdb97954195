import { findAll, textOf, type MarkupElement, type MarkupNode } from '../markup/element.js';
import { parseDeclarations, parseStyles, type Compound, type Declarations, type StyleRule } from './style-rules.js';

type Colour = readonly [number, number, number];

/** What an element hands on to those within it. */
interface Look {
  isVisible: boolean;
  hasSize: boolean;
  colour: Colour | null;
  /** Null: not known, as of a picture. */
  background: Colour | null;
}

const WHITE: Colour = [255, 255, 255];
/** Of 255: what nobody can tell apart. */
const ALIKE = 10;
/** What a style may make a block of, or raise, and which means nothing else. */
const SHAPELESS = new Set('a b bdi bdo big button em font i label small span strong tt u'.split(' '));
const NAMED = new Map<string, Colour>([
  ['white', WHITE],
  ['black', [0, 0, 0]],
  ['snow', [255, 250, 250]],
  ['ghostwhite', [248, 248, 255]],
  ['whitesmoke', [245, 245, 245]],
]);

/**
 * A page without what its styles keep from being seen: not displayed, invisible, without size, or in the colour of what it
 * stands on. Such text is written for programs, and would be quoted as if somebody could read it there.
 */
export function shownOf(page: MarkupElement, sheetAt: (href: string) => string | undefined = () => ''): MarkupElement {
  const sheets = findAll(page, 'style', 'link').filter(({ attributes }) => isForScreens(attributes['media']));
  const css = sheets.map((sheet) => {
    if (sheet.name === 'style') return textOf(sheet);
    const { rel = '', href = '' } = sheet.attributes;
    return /^\s*stylesheet\s*$/i.test(rel) ? (sheetAt(href) ?? '') : '';
  });
  // What a sheet elsewhere paints behind a text, nobody knows here.
  const isPainted = findAll(page, 'link').some(({ attributes }) => /stylesheet/i.test(attributes['rel'] ?? ''));
  const styles = new Styles(parseStyles(css.join('\n')));
  const look = { isVisible: true, hasSize: true, colour: null, background: isPainted ? null : WHITE };
  return { ...page, children: childrenShown(page, look, [], styles) };
}

function isForScreens(media = 'all'): boolean {
  return /^\s*(?:all|screen|)\s*$/i.test(media);
}

function childrenShown(
  parent: MarkupElement,
  look: Look,
  path: readonly MarkupElement[],
  styles: Styles,
): MarkupNode[] {
  return parent.children.flatMap((child): MarkupNode[] => {
    if (typeof child === 'string') return isSeen(look) || child.trim() === '' ? [child] : [];
    if (child.name === 'style') return [];
    const declared = styles.of(child, path);
    if (isGone(child, declared)) return [];
    const own = lookOf(child, declared, look);
    return [
      { ...child, name: shapeOf(child, declared), children: childrenShown(child, own, [child, ...path], styles) },
    ];
  });
}

/** As which element it is laid out: its words would run together with those of the lines around it. */
function shapeOf({ name, attributes }: MarkupElement, declared: Declared): string {
  if (!SHAPELESS.has(name)) return name;
  if (/^(?:block|flex|grid|table|flow-root|list-item)\b/.test(declared('display') ?? '')) return 'div';
  return declared('vertical-align') === 'super' && attributes['href'] === undefined ? 'sup' : name;
}

function isSeen({ isVisible, hasSize, colour, background }: Look): boolean {
  return isVisible && hasSize && !(colour && background && isAlike(colour, background));
}

function isAlike(one: Colour, other: Colour): boolean {
  return one.every((part, at) => Math.abs(part - (other[at] ?? 0)) <= ALIKE);
}

function isGone({ attributes }: MarkupElement, declared: Declared): boolean {
  if (attributes['aria-hidden']?.toLowerCase() === 'true') return true;
  return declared('display') === 'none' || /^0*(?:\.0*)?%?$/.test(declared('opacity') ?? '1');
}

function lookOf({ attributes }: MarkupElement, declared: Declared, outer: Look): Look {
  const visibility = declared('visibility');
  const size = declared('font-size');
  const colour = declared('color') ?? attributes['color'] ?? attributes['text'];
  const isLifted = /^(?:absolute|fixed|sticky)$/.test(declared('position') ?? '');
  return {
    isVisible: /^(?:visible|hidden|collapse)$/.test(visibility ?? '') ? visibility === 'visible' : outer.isVisible,
    hasSize: size === undefined || size === 'inherit' ? outer.hasSize : !/^0*(?:\.0*)?(?:[a-z]+|%)?$/.test(size),
    colour: colour === undefined || /^(?:inherit|unset|currentcolor)$/.test(colour) ? outer.colour : toColour(colour),
    background: isLifted ? null : backgroundOf(attributes, declared, outer.background),
  };
}

function backgroundOf(
  attributes: Readonly<Record<string, string>>,
  declared: Declared,
  outer: Colour | null,
): Colour | null {
  const written = [
    declared('background-color') ?? '',
    declared('background') ?? attributes['bgcolor'] ?? '',
    declared('background-image') ?? '',
  ].map((value) => value.trim().toLowerCase());
  if (attributes['background'] !== undefined || written.some((value) => /url\(|gradient|image/.test(value)))
    return null;
  const painted = written
    .slice(0, 2)
    .find((value) => !/^(?:|none|transparent|inherit|initial|unset|(?:rgb|hsl)a\(.*,\s*0?(?:\.0+)?\s*\))$/.test(value));
  return painted === undefined ? outer : toColour(painted);
}

/** Null: one that we do not know. */
function toColour(written: string): Colour | null {
  const value = written.trim().toLowerCase();
  const named = NAMED.get(value);
  if (named) return named;
  const short = /^#([\da-f])([\da-f])([\da-f])$/.exec(value);
  const hex = short ? short.slice(1).map((digit) => digit + digit) : /^#(..)(..)(..)$/.exec(value)?.slice(1);
  const parts = hex?.map((part) => Number.parseInt(part, 16)) ?? rgbOf(value);
  const [red, green, blue] = parts ?? [];
  return red === undefined || green === undefined || blue === undefined || parts?.some(Number.isNaN)
    ? null
    : [red, green, blue];
}

function rgbOf(value: string): number[] | undefined {
  return /^rgba?\(\s*(\d{1,3})[\s,]+(\d{1,3})[\s,]+(\d{1,3})\s*(?:[,/]\s*1(?:\.0+)?\s*)?\)$/
    .exec(value)
    ?.slice(1)
    .map(Number);
}

type Declared = (property: string) => string | undefined;

/** The rules of a page, found by what the element of each has to have. */
class Styles {
  private readonly byKey = new Map<string, { rule: StyleRule; order: number }[]>();

  constructor(rules: readonly StyleRule[]) {
    for (const [order, rule] of rules.entries()) {
      const key = keyOf(rule.compounds[0]!);
      const known = this.byKey.get(key);
      if (known) known.push({ rule, order });
      else this.byKey.set(key, [{ rule, order }]);
    }
  }

  /** What holds for an element. @param path its ancestors, from the nearest on */
  of(element: MarkupElement, path: readonly MarkupElement[]): Declared {
    const { name, attributes } = element;
    const inline = attributes['style'] === undefined ? null : parseDeclarations(attributes['style']);
    const keys =
      this.byKey.size === 0 ? [] : [`#${attributes['id']}`, ...classesOf(element).map((each) => `.${each}`), name, '*'];
    const matching = [...new Set(keys.flatMap((key) => this.byKey.get(key) ?? []))]
      .filter(({ rule }) => matches(rule.compounds, element, path))
      .toSorted((a, b) => a.rule.specificity - b.rule.specificity || a.order - b.order)
      .map(({ rule }) => rule.declarations);
    return (property) => strongest(property, inline ? [...matching, inline] : matching);
  }
}

/** Of the same weight the last one. */
function strongest(property: string, declarations: readonly Declarations[]): string | undefined {
  const own = declarations.flatMap((each) => each.get(property) ?? []);
  return (own.findLast(({ important }) => important) ?? own.at(-1))?.value;
}

function keyOf({ id, classes, tag }: Compound): string {
  if (id !== null) return `#${id}`;
  return classes.length > 0 ? `.${classes[0]}` : (tag ?? '*');
}

function classesOf({ attributes }: MarkupElement): string[] {
  return (attributes['class'] ?? '').split(/\s+/).filter(Boolean);
}

/** In steps, since sheets that are made to keep us busy have selectors that could stand in very many ways. */
function matches(compounds: readonly Compound[], element: MarkupElement, path: readonly MarkupElement[]): boolean {
  const line = [element, ...path];
  let places = [0];
  for (const [at, compound] of compounds.entries()) {
    const here = places.filter((place) => has(line[place], compound));
    const [nearest] = here;
    if (nearest === undefined) return false;
    if (at === compounds.length - 1) return true;
    places = compound.isChild ? here.map((place) => place + 1) : range(nearest + 1, line.length);
  }
  return false;
}

function range(from: number, end: number): number[] {
  return Array.from({ length: Math.max(0, end - from) }, (_, at) => from + at);
}

function has(element: MarkupElement | undefined, { tag, id, classes, attributes }: Compound): boolean {
  if (!element || (tag !== null && tag !== element.name)) return false;
  if (id !== null && id !== element.attributes['id']) return false;
  const own = classes.length > 0 ? classesOf(element) : [];
  return (
    classes.every((each) => own.includes(each)) &&
    attributes.every(({ name, value }) => {
      const written = element.attributes[name];
      return written !== undefined && (value === null || written === value);
    })
  );
}
