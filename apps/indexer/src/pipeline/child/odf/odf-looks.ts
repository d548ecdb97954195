import { childrenOf, findAll, type Look, type MarkupElement } from '../markup/element.js';
import type { NoteLook } from '../markup/tree-builder.js';

const MAX_ANCESTORS = 20;
/** Of 255: as good as white. */
const PALE = 240;
const NO_LOOK: Look = {};
/** What has a style, by the kind of style that it has. */
const FAMILIES: Readonly<Record<string, string>> = {
  'text:span': 'text',
  'text:p': 'paragraph',
  'text:h': 'paragraph',
  'text:section': 'section',
  'table:table': 'table',
  'table:table-row': 'table-row',
  'table:table-cell': 'table-cell',
  'table:covered-table-cell': 'table-cell',
  'draw:page': 'drawing-page',
};

/** How text of an OpenDocument file is seen: by the styles that it names. */
export class OdfLooks {
  private readonly styles = new Map<string, MarkupElement>();
  private readonly resolved = new Map<string, Look>();
  private readonly masters = new Map<string, MarkupElement>();
  private isPaperWhite = true;
  private hasWhiteWords = false;

  /** Of a style: whether it hides words or a slide, whether its words are white, and whether it has a colour behind them. */
  readonly note: NoteLook = (look, name, attributes) => {
    if (name === 'style:text-properties') noteText(look, attributes);
    else if (name === 'style:background-image') {
      // One without anything says that there is none.
      if (Object.keys(attributes).length > 0) look.isBacked = true;
    } else if (name.startsWith('style:')) noteGround(look, attributes);
    if (look.isPale === true) this.hasWhiteWords = true;
    if (name === 'style:drawing-page-properties' && attributes['presentation:visibility'] !== undefined)
      look.isHidden = attributes['presentation:visibility'] === 'hidden';
    // What runs behind the words, as a letterhead does.
    if (attributes['style:run-through'] === 'background') this.isPaperWhite = false;
  };

  /** @param roots read with `note` */
  learn(roots: readonly (MarkupElement | null)[]): void {
    for (const root of roots) {
      for (const style of findAll(root ?? undefined, 'style:style')) this.styles.set(nameOf(style), style);
      for (const master of findAll(root ?? undefined, 'style:master-page'))
        this.masters.set(master.attributes['style:name'] ?? '', master);
      for (const layout of findAll(root ?? undefined, 'style:page-layout'))
        if (hasColour(layout)) this.isPaperWhite = false;
    }
  }

  /** Whether there are white words, and pages of a text document that are white. */
  get mayLoseWords(): boolean {
    return this.hasWhiteWords && this.isPaperWhite;
  }

  /** What the style of an element says of it. */
  of({ name, attributes }: MarkupElement): Look {
    const family = FAMILIES[name];
    if (family !== undefined)
      return this.ofStyle(family, attributes[`${name.slice(0, name.indexOf(':'))}:style-name`] ?? '');
    const presented = attributes['presentation:style-name'];
    return presented === undefined
      ? this.ofStyle('graphic', attributes['draw:style-name'] ?? '')
      : this.ofStyle('presentation', presented);
  }

  /** Whether a table, or part of one, may have a colour of its own. */
  isColoured(part: MarkupElement): boolean {
    return (
      this.of(part).isBacked === true ||
      part.attributes['table:template-name'] !== undefined ||
      [part, ...(part.name === 'table:table' ? findAll(part, 'table:table-column') : [])].some(({ attributes }) => {
        const cells = attributes['table:default-cell-style-name'];
        return cells !== undefined && this.ofStyle('table-cell', cells).isBacked === true;
      })
    );
  }

  /** Whether nothing upon a slide has a colour or is a picture: wherever its words stand, they stand on white. */
  isWhiteSlide(slide: MarkupElement): boolean {
    if (!this.hasWhiteWords) return false;
    const master = this.masters.get(slide.attributes['draw:master-page-name'] ?? '');
    return [slide, ...(master ? [master] : [])].every(
      (part) =>
        this.ofStyle('drawing-page', part.attributes['draw:style-name'] ?? '').isBacked !== true &&
        childrenOf(part).every((shape) => this.isClear(shape)),
    );
  }

  /** Only what says that it is not filled lets the slide be seen. */
  private isClear(shape: MarkupElement): boolean {
    if (/^(?:presentation|office|anim|svg):/.test(shape.name)) return true;
    if (shape.name === 'draw:g') return childrenOf(shape).every((each) => this.isClear(each));
    const holdsMore = childrenOf(shape).some(({ name }) =>
      /^(?:table:|draw:(?!text-box|enhanced-geometry|glue))/.test(name),
    );
    return !holdsMore && this.of(shape).isBacked === false;
  }

  private ofStyle(family: string, name: string): Look {
    const key = `${family} ${name}`;
    let look = this.resolved.get(key);
    if (look === undefined) this.resolved.set(key, (look = this.resolve(family, name)));
    return look;
  }

  private resolve(family: string, name: string): Look {
    let style = this.styles.get(`${family} ${name}`);
    if (style === undefined) return NO_LOOK;
    const look: Look = {};
    for (let n = 0; style !== undefined && n < MAX_ANCESTORS; n += 1) {
      const { isHidden, isPale, isBacked, isRaised } = style.look ?? NO_LOOK;
      if (isHidden !== undefined) look.isHidden ??= isHidden;
      if (isPale !== undefined) look.isPale ??= isPale;
      if (isBacked !== undefined) look.isBacked ??= isBacked;
      if (isRaised !== undefined) look.isRaised ??= isRaised;
      style = this.styles.get(`${family} ${style.attributes['style:parent-style-name'] ?? ''}`);
    }
    return look;
  }
}

/** Styles of different kinds may have one name. */
function nameOf({ attributes }: MarkupElement): string {
  return `${attributes['style:family'] ?? ''} ${attributes['style:name'] ?? ''}`;
}

function noteText(look: Look, attributes: Readonly<Record<string, string>>): void {
  const shown = attributes['text:display'];
  if (shown !== undefined) look.isHidden = shown === 'none';
  const position = attributes['style:text-position'];
  if (position !== undefined) look.isRaised = /^(?:super|[1-9])/.test(position);
  const colour = attributes['fo:color'];
  if (attributes['style:use-window-font-color'] === 'true') look.isPale = false;
  else if (colour !== undefined) look.isPale = isWhite(colour);
  if (isColour(attributes['fo:background-color'])) look.isBacked = true;
}

function noteGround(look: Look, attributes: Readonly<Record<string, string>>): void {
  const fill = attributes['draw:fill'];
  if (isColour(attributes['fo:background-color'])) look.isBacked = true;
  else if (fill === 'solid') look.isBacked = !isWhite(attributes['draw:fill-color'] ?? '');
  else if (fill !== undefined) look.isBacked = fill !== 'none';
}

function hasColour(layout: MarkupElement): boolean {
  return findAll(layout, 'style:page-layout-properties', 'style:header-footer-properties').some((properties) => {
    const look: Look = {};
    noteGround(look, properties.attributes);
    return (
      look.isBacked === true ||
      findAll(properties, 'style:background-image').some(({ attributes }) => Object.keys(attributes).length > 0)
    );
  });
}

function isColour(colour: string | undefined): boolean {
  return colour !== undefined && colour !== 'transparent' && !isWhite(colour);
}

function isWhite(colour: string): boolean {
  const parts = /^#([\da-f]{2})([\da-f]{2})([\da-f]{2})$/i.exec(colour)?.slice(1) ?? [];
  return parts.length > 0 && parts.every((part) => Number.parseInt(part, 16) >= PALE);
}

/** Whether an element of a document is there and shown nowhere. */
export function isUnseen(child: MarkupElement, looks: OdfLooks): boolean {
  const { name, attributes, children } = child;
  switch (name) {
    case 'text:span':
    case 'draw:page':
      return looks.of(child).isHidden === true;
    case 'text:p':
    case 'text:h':
      return (
        looks.of(child).isHidden === true ||
        children.some((part) => typeof part !== 'string' && part.name === 'text:hidden-paragraph' && isTrue(part))
      );
    case 'text:hidden-text':
      return isTrue(child);
    case 'text:section':
      return attributes['text:display'] === 'none';
    default:
      return false;
  }
}

function isTrue({ attributes }: MarkupElement): boolean {
  return attributes['text:is-hidden'] === 'true';
}
