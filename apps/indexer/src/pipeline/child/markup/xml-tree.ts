import { SaxesParser } from 'saxes';
import type { Readable } from 'node:stream';
import { ExtractionError } from '../../extraction-error.js';
import type { MarkupElement } from './element.js';
import { usualPrefix } from './namespaces.js';
import { type NoteLook, TreeBuilder } from './tree-builder.js';

const CHUNK = 256 * 1024;
/** The parser looks for a prefix in every element that is open, one after the other. */
const MAX_OPEN = 2_000;
/** Of one element, each of which costs far more than it has characters. */
const MAX_ATTRIBUTES = 10_000;

/**
 * A part of an office file as a tree. Entities are not read from anywhere: a document type declaration is refused.
 * @param skipped names of elements that are left out with all that they hold (formatting, mostly)
 * @param noteLook as `TreeBuilder` has it
 * @returns the root element
 * @throws Error when it is no well-formed XML; ExtractionError `too_large`
 */
export function parseXml(xml: string, skipped: ReadonlySet<string> = new Set(), noteLook?: NoteLook): MarkupElement {
  const builder = new TreeBuilder(skipped, noteLook);
  const parser = parserInto(builder);
  for (let at = 0; at < xml.length; at += CHUNK) parser.write(xml.slice(at, at + CHUNK));
  parser.close();
  return rootOf(builder);
}

export interface StreamedElement {
  element: MarkupElement;
  /** The outermost element that it stands in of the name that was asked for; none for the root. */
  within: MarkupElement | undefined;
}

/**
 * Reads a part piece by piece and yields the elements of one name as they are complete; the last one is the root, without
 * them. @throws as `parseXml` does
 */
export async function* streamXml(
  stream: Readable,
  wanted: { name: string; within: string },
  skipped: ReadonlySet<string>,
): AsyncGenerator<StreamedElement> {
  let complete: StreamedElement[] = [];
  const builder = new TreeBuilder(skipped, undefined, (element, ancestors) => {
    if (element.name !== wanted.name) return false;
    complete.push({ element, within: ancestors.find(({ name }) => name === wanted.within) });
    return true;
  });
  const parser = parserInto(builder);
  const decoder = new TextDecoder();
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    parser.write(decoder.decode(chunk, { stream: true }));
    yield* complete;
    complete = [];
  }
  parser.close();
  yield* complete;
  yield { element: rootOf(builder), within: undefined };
}

function rootOf(builder: TreeBuilder): MarkupElement {
  const root = builder.root.children.find((child) => typeof child !== 'string');
  if (root === undefined) throw new Error('The part holds no element.');
  return root;
}

function parserInto(builder: TreeBuilder): SaxesParser<{ xmlns: true }> {
  const parser = new SaxesParser({ xmlns: true });
  parser.on('error', (error) => {
    // Programs read on where a prefix or an entity is not declared: the name and the reference stand as they are.
    if (!/unbound namespace prefix|undefined entity/.test(error.message)) throw error;
  });
  parser.on('doctype', () => {
    throw new Error('Document type declarations are not read.');
  });
  const prefixes = new Map<string, string>();
  const qualified = (uri: string, prefix: string, local: string): string => {
    if (uri === '') return prefix === '' ? local : `${prefix}:${local}`;
    let usual = prefixes.get(uri);
    if (usual === undefined) prefixes.set(uri, (usual = usualPrefix(uri, prefix)));
    return usual === '' ? local : `${usual}:${local}`;
  };
  let given = 0;
  parser.on('attribute', () => {
    given += 1;
    if (given > MAX_ATTRIBUTES)
      throw new ExtractionError('too_large', 'The file has an element of more than 10,000 attributes.');
  });
  parser.on('opentag', (tag) => {
    given = 0;
    if (builder.depth > MAX_OPEN) throw new ExtractionError('too_large', 'The file is nested too deeply to be read.');
    let attributes: Record<string, string> | undefined;
    for (const { uri, prefix, local, value } of Object.values(tag.attributes)) {
      // Revision ids stand on every paragraph and say nothing.
      if (prefix === 'xmlns' || local === 'xmlns' || local.startsWith('rsid')) continue;
      attributes ??= {};
      attributes[qualified(uri, prefix, local)] = value;
    }
    builder.open(qualified(tag.uri, tag.prefix, tag.local), attributes);
  });
  parser.on('closetag', () => builder.close());
  parser.on('text', (text) => builder.text(text));
  parser.on('cdata', (text) => builder.text(text));
  return parser;
}
