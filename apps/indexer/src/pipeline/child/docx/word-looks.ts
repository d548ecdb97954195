import { childOf, childrenOf, findAll, type Look, type MarkupElement } from '../markup/element.js';
import type { NoteLook } from '../markup/tree-builder.js';

const OFF = /^(?:0|false|off|none)$/;
/** In half points: what is smaller nobody reads. */
const SPECK = 2;
/** Of 255: as good as white. */
const PALE = 240;
const MAX_ANCESTORS = 20;
/** Styles of tables without any colour. */
const PLAIN_TABLES = /^(?:TableNormal|TableGrid(?:Light|\d*)|PlainTable\d)$/;
const NO_LOOK: Look = {};

/** How text of a Word file is seen: by its own formatting and by its style. */
export class WordLooks {
  private readonly styles = new Map<string, Look>();

  /** @param styles read with `noteOwnLook` */
  constructor(styles: MarkupElement | null) {
    const declared = new Map<string, MarkupElement>();
    for (const style of childrenOf(styles ?? undefined, 'w:style'))
      declared.set(style.attributes['w:styleId'] ?? '', style);
    for (const id of declared.keys()) this.styles.set(id, lookOfStyle(declared, id));
  }

  /** Of a style by its id. */
  of(style: string | undefined): Look {
    return this.styles.get(style ?? '') ?? NO_LOOK;
  }

  /** Of runs and tables: what they say themselves comes before what their style says. */
  readonly note: NoteLook = (look, name, attributes) => {
    if (name === 'w:rStyle') inherit(look, this.of(attributes['w:val']));
    else if (name === 'w:sz' && Number(attributes['w:val'] ?? SPECK + 1) <= SPECK) look.isHidden = true;
    else noteOwnLook(look, name, attributes);
  };
}

/** Text that its author has set as hidden is neither seen nor printed, and in white it is not seen where the paper is white. */
export const noteOwnLook: NoteLook = (look, name, attributes) => {
  const value = attributes['w:val'] ?? '';
  if (name === 'w:vanish') look.isHidden = !OFF.test(value);
  else if (name === 'w:vertAlign') look.isRaised = value === 'superscript';
  else if (name === 'w:color') look.isPale = isWhite(value);
  else if (name === 'w:highlight') look.isBacked = !/^(?:none|white)$/.test(value);
  else if (name === 'w:shd') look.isBacked = isColoured(attributes);
  else if (name === 'w:tblStyle') look.isBacked ??= !PLAIN_TABLES.test(value);
};

/** Whether a paragraph or a cell stands on a colour of its own, by its properties. */
export function isShaded(properties: MarkupElement | undefined): boolean {
  const shading = childOf(properties, 'w:shd');
  return shading !== undefined && isColoured(shading.attributes);
}

/** Whether a part (the body, a header) leaves its pages white: without a colour, and without pictures behind their words. */
export function isWhitePaper(root: MarkupElement | null): boolean {
  return (
    childOf(root ?? undefined, 'w:background') === undefined &&
    !findAll(root ?? undefined, 'wp:anchor').some(({ attributes }) => attributes['behindDoc'] === '1')
  );
}

function isColoured({
  'w:fill': fill = 'auto',
  'w:themeFill': theme = '',
  'w:val': pattern = 'clear',
}: Readonly<Record<string, string>>): boolean {
  return (fill === 'auto' ? theme !== '' : !isWhite(fill)) || !/^(?:clear|nil)$/.test(pattern);
}

function isWhite(colour: string): boolean {
  const parts = /^([\da-f]{2})([\da-f]{2})([\da-f]{2})$/i.exec(colour)?.slice(1) ?? [];
  return parts.length > 0 && parts.every((part) => Number.parseInt(part, 16) >= PALE);
}

function lookOfStyle(declared: ReadonlyMap<string, MarkupElement>, id: string): Look {
  const look: Look = {};
  let style = declared.get(id);
  for (let n = 0; style !== undefined && n < MAX_ANCESTORS; n += 1) {
    inherit(look, style.look ?? NO_LOOK);
    if (isShaded(childOf(style, 'w:pPr'))) look.isBacked ??= true;
    style = declared.get(childOf(style, 'w:basedOn')?.attributes['w:val'] ?? '');
  }
  return look;
}

function inherit(look: Look, from: Look): void {
  if (from.isHidden !== undefined) look.isHidden ??= from.isHidden;
  if (from.isPale !== undefined) look.isPale ??= from.isPale;
  if (from.isBacked !== undefined) look.isBacked ??= from.isBacked;
  if (from.isRaised !== undefined) look.isRaised ??= from.isRaised;
}
