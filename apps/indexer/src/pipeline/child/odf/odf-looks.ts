import { findAll, type MarkupElement } from '../markup/element.js';
import type { NoteLook } from '../markup/tree-builder.js';

const MAX_ANCESTORS = 20;

/** Of a style: whether it hides words, or a slide. */
export const noteOdfLook: NoteLook = (look, name, attributes) => {
  const value =
    name === 'style:text-properties'
      ? attributes['text:display']
      : name === 'style:drawing-page-properties'
        ? attributes['presentation:visibility']
        : undefined;
  if (value !== undefined) look.isHidden = value === 'none' || value === 'hidden';
};

/** Names of the styles that hide what has them. @param roots read with `noteOdfLook` */
export function hiddenStyles(roots: readonly (MarkupElement | null)[]): ReadonlySet<string> {
  const styles = new Map<string, MarkupElement>();
  for (const root of roots)
    for (const style of findAll(root ?? undefined, 'style:style')) styles.set(nameOf(style), style);
  const hidden = new Set<string>();
  for (const name of styles.keys()) if (isHidden(styles, name)) hidden.add(name);
  return hidden;
}

function isHidden(styles: ReadonlyMap<string, MarkupElement>, name: string): boolean {
  let style = styles.get(name);
  for (let n = 0; style !== undefined && n < MAX_ANCESTORS; n += 1) {
    if (style.look?.isHidden !== undefined) return style.look.isHidden;
    const family = style.attributes['style:family'] ?? '';
    style = styles.get(`${family} ${style.attributes['style:parent-style-name'] ?? ''}`);
  }
  return false;
}

/** Styles of different kinds may have one name. */
function nameOf({ attributes }: MarkupElement): string {
  return `${attributes['style:family'] ?? ''} ${attributes['style:name'] ?? ''}`;
}

/** Whether an element of a document is there and shown nowhere. @param hidden styles that hide */
export function isUnseen({ name, attributes, children }: MarkupElement, hidden: ReadonlySet<string>): boolean {
  switch (name) {
    case 'text:span':
      return hidden.has(`text ${attributes['text:style-name']}`);
    case 'text:p':
    case 'text:h':
      return (
        hidden.has(`paragraph ${attributes['text:style-name']}`) ||
        children.some((child) => typeof child !== 'string' && child.name === 'text:hidden-paragraph' && isTrue(child))
      );
    case 'text:hidden-text':
      return isTrue({ name, attributes, children });
    case 'text:section':
      return attributes['text:display'] === 'none';
    case 'draw:page':
      return hidden.has(`drawing-page ${attributes['draw:style-name']}`);
    default:
      return false;
  }
}

function isTrue({ attributes }: MarkupElement): boolean {
  return attributes['text:is-hidden'] === 'true';
}
