import type { Archive } from '../archive.js';
import { relationsOf } from '../docx/relations.js';
import { childOf, childrenOf, descend, findAll, type MarkupElement } from '../markup/element.js';

/** Of 255: as good as white. */
const PALE = 240;
/** Whatever else there is to a shape or a slide but what is drawn. */
const NOT_DRAWN = new Set(['p:nvGrpSpPr', 'p:grpSpPr', 'p:extLst', 'p:cxnSp']);
/** Of a run: what is seen of white letters upon white, or gives them another colour. */
const SEEN = ['a:highlight', 'a:hlinkClick', 'a:ln', 'a:effectLst', 'a:effectDag'];
const FILLS = ['a:solidFill', 'a:gradFill', 'a:blipFill', 'a:pattFill', 'a:grpFill'];

/** What lies beneath the slides of one layout. */
interface Ground {
  isWhite: boolean;
  /** Colours of the theme by the names that slides use, in hexadecimal. */
  colours: ReadonlyMap<string, string>;
}

const NO_GROUND: Ground = { isWhite: false, colours: new Map() };
const NEVER = () => false;

/** Which words of a slide are white upon white: where nothing else upon it has a colour or is a picture. */
export class SlideColours {
  private readonly grounds = new Map<string, Promise<Ground>>();

  constructor(private readonly archive: Archive) {}

  /** Tells of the runs of a slide whether nobody sees them. @param layout its part; undefined: the slide names none */
  async unseenOn(slide: MarkupElement, layout: string | undefined): Promise<(run: MarkupElement) => boolean> {
    const coloured = findAll(slide, 'a:rPr').some((look) => childOf(look, 'a:solidFill') !== undefined);
    if (!coloured || layout === undefined) return NEVER;
    let ground = this.grounds.get(layout);
    if (ground === undefined) this.grounds.set(layout, (ground = this.readGround(layout)));
    const { isWhite, colours } = await ground;
    if (!isWhite || !isClear(slide, colours)) return NEVER;
    return (run) => {
      const look = childOf(run, 'a:rPr');
      return isWhiteFill(childOf(look, 'a:solidFill'), colours) && childrenOf(look, ...SEEN).length === 0;
    };
  }

  private async readGround(layoutPart: string): Promise<Ground> {
    const { archive } = this;
    const masterPart = await this.related(layoutPart, 'slideMaster');
    const themePart = masterPart === undefined ? undefined : await this.related(masterPart, 'theme');
    if (masterPart === undefined || themePart === undefined) return NO_GROUND;
    const [layout, master, theme] = [
      await archive.readXml(layoutPart),
      await archive.readXml(masterPart),
      await archive.readXml(themePart),
    ];
    if (layout === null || master === null || theme === null) return NO_GROUND;
    const colours = coloursOf(theme, master);
    // The ground that masters refer to: the colour that they name, or something made of it.
    const [plain] = childrenOf(descend(theme, 'a:themeElements', 'a:fmtScheme', 'a:bgFillStyleLst'));
    const isPlain = plain === undefined || plain.name === 'a:solidFill';
    return { isWhite: isPlain && isClear(layout, colours) && isClear(master, colours), colours };
  }

  private async related(part: string, kind: string): Promise<string | undefined> {
    return (await relationsOf(this.archive, part)).find(({ type }) => type === kind)?.target;
  }
}

function coloursOf(theme: MarkupElement, master: MarkupElement): Map<string, string> {
  const named = new Map<string, string>();
  for (const { name, children } of childrenOf(descend(theme, 'a:themeElements', 'a:clrScheme'))) {
    const [colour] = children.filter((child) => typeof child !== 'string');
    named.set(name.slice('a:'.length), colour?.attributes['lastClr'] ?? colour?.attributes['val'] ?? '');
  }
  const map = childOf(master, 'p:clrMap')?.attributes ?? {};
  for (const [name, colour] of Object.entries(map)) named.set(name, named.get(colour) ?? '');
  return named;
}

/** Whether a slide, a layout or a master leaves white what lies beneath it. */
function isClear(part: MarkupElement, colours: ReadonlyMap<string, string>): boolean {
  const content = childOf(part, 'p:cSld');
  return (
    descend(part, 'p:clrMapOvr', 'a:overrideClrMapping') === undefined &&
    isWhiteGround(childOf(content, 'p:bg'), colours) &&
    childrenOf(childOf(content, 'p:spTree')).every((shape) => isClearShape(shape, colours))
  );
}

function isWhiteGround(ground: MarkupElement | undefined, colours: ReadonlyMap<string, string>): boolean {
  if (ground === undefined) return true;
  const reference = childOf(ground, 'p:bgRef');
  return reference === undefined
    ? isWhiteFill(descend(ground, 'p:bgPr', 'a:solidFill'), colours)
    : ['0', '1001'].includes(reference.attributes['idx'] ?? '') && isWhiteFill(reference, colours);
}

function isClearShape(shape: MarkupElement, colours: ReadonlyMap<string, string>): boolean {
  if (NOT_DRAWN.has(shape.name)) return true;
  if (shape.name === 'p:grpSp') return childrenOf(shape).every((each) => isClearShape(each, colours));
  if (shape.name !== 'p:sp') return false;
  const properties = childOf(shape, 'p:spPr');
  if (childOf(properties, 'a:noFill') !== undefined) return true;
  const [fill] = childrenOf(properties, ...FILLS);
  if (fill !== undefined) return fill.name === 'a:solidFill' && isWhiteFill(fill, colours);
  return (descend(shape, 'p:style', 'a:fillRef')?.attributes['idx'] ?? '0') === '0';
}

/** @param fill what holds a colour; one that is made lighter or darker is another */
function isWhiteFill(fill: MarkupElement | undefined, colours: ReadonlyMap<string, string>): boolean {
  const [colour] = childrenOf(fill);
  if (colour === undefined || colour.children.length > 0) return false;
  const { val = '', lastClr = val } = colour.attributes;
  return isWhite(colour.name === 'a:schemeClr' ? (colours.get(val) ?? '') : lastClr);
}

function isWhite(colour: string): boolean {
  const parts = /^([\da-f]{2})([\da-f]{2})([\da-f]{2})$/i.exec(colour)?.slice(1) ?? [];
  return parts.length > 0 && parts.every((part) => Number.parseInt(part, 16) >= PALE);
}
