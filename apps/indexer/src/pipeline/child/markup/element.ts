/** One element of a document's markup. */
export interface MarkupElement {
  /** With the usual prefix of its namespace (`w:p`, `text:span`), whatever prefix the file uses; HTML has none. */
  name: string;
  attributes: Readonly<Record<string, string>>;
  children: MarkupNode[];
  /** What its formatting, which is not kept, says of how it is seen. */
  look?: Look;
}

/** Each is not there where nothing is said of it. */
export interface Look {
  isHidden?: boolean;
  /** In a colour that nobody sees upon white. */
  isPale?: boolean;
  /** Upon a colour of its own. */
  isBacked?: boolean;
  /** Above the line, as exponents are. */
  isRaised?: boolean;
}

export type MarkupNode = MarkupElement | string;

const NO_ATTRIBUTES: Readonly<Record<string, string>> = Object.freeze({});

export function element(name: string, attributes: Readonly<Record<string, string>> = NO_ATTRIBUTES): MarkupElement {
  return { name, attributes, children: [] };
}

/** The elements directly inside, of one name or of several. */
export function childrenOf(parent: MarkupElement | undefined, ...names: string[]): MarkupElement[] {
  return (parent?.children ?? []).filter(
    (child): child is MarkupElement => typeof child !== 'string' && (names.length === 0 || names.includes(child.name)),
  );
}

export function childOf(parent: MarkupElement | undefined, name: string): MarkupElement | undefined {
  return childrenOf(parent, name)[0];
}

/** Follows one name after the other, the first of its name each time. */
export function descend(parent: MarkupElement | undefined, ...path: string[]): MarkupElement | undefined {
  return path.reduce<MarkupElement | undefined>((at, name) => childOf(at, name), parent);
}

/** Elements of a name anywhere inside, in the order of the document; none inside another of them. */
export function findAll(parent: MarkupElement | undefined, ...names: string[]): MarkupElement[] {
  return childrenOf(parent).flatMap((child) => (names.includes(child.name) ? [child] : findAll(child, ...names)));
}

/** All text inside, as it stands. */
export function textOf(node: MarkupNode): string {
  return typeof node === 'string' ? node : node.children.map(textOf).join('');
}
