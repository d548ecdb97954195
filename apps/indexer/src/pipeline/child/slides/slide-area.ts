import { childOf, descend, type MarkupElement } from '../markup/element.js';

interface Place {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** The slide as the shapes of one group see it: they have units of their own. */
export class SlideArea {
  /** @param area null: nobody knows how large it is */
  private constructor(private readonly area: Place | null) {}

  static of(presentation: MarkupElement): SlideArea {
    const size = childOf(presentation, 'p:sldSz');
    const [width, height] = [Number(size?.attributes['cx']), Number(size?.attributes['cy'])];
    return new SlideArea(width > 0 && height > 0 ? { x: 0, y: 0, width, height } : null);
  }

  /** Whether all of a shape lies beside it. One that is turned, or that its layout places, does not. */
  isBeside(shape: MarkupElement): boolean {
    const frame = descend(shape, 'p:spPr', 'a:xfrm') ?? childOf(shape, 'p:xfrm');
    const place = frame?.attributes['rot'] === undefined ? placeOf(frame, 'a:off', 'a:ext') : null;
    const { area } = this;
    if (place === null || area === null) return false;
    return (
      place.x >= area.x + area.width ||
      place.y >= area.y + area.height ||
      place.x + place.width <= area.x ||
      place.y + place.height <= area.y
    );
  }

  within(group: MarkupElement): SlideArea {
    const frame = descend(group, 'p:grpSpPr', 'a:xfrm');
    const [outer, inner] = [placeOf(frame, 'a:off', 'a:ext'), placeOf(frame, 'a:chOff', 'a:chExt')];
    const { area } = this;
    if (frame === undefined || area === null) return this;
    if (outer === null || inner === null || frame.attributes['rot'] !== undefined) return new SlideArea(null);
    const [wide, high] = [inner.width / outer.width, inner.height / outer.height];
    if (!Number.isFinite(wide) || !Number.isFinite(high)) return new SlideArea(null);
    return new SlideArea({
      x: inner.x + (area.x - outer.x) * wide,
      y: inner.y + (area.y - outer.y) * high,
      width: area.width * wide,
      height: area.height * high,
    });
  }
}

function placeOf(frame: MarkupElement | undefined, offset: string, extent: string): Place | null {
  const [off, ext] = [childOf(frame, offset)?.attributes, childOf(frame, extent)?.attributes];
  const [x, y, width, height] = [off?.['x'], off?.['y'], ext?.['cx'], ext?.['cy']].map(Number);
  if (x === undefined || y === undefined || width === undefined || height === undefined) return null;
  return [x, y, width, height].every(Number.isFinite) ? { x, y, width, height } : null;
}
