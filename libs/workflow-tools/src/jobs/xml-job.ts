import { cutText } from '@app/common';
import { XMLBuilder, XMLParser, XMLValidator } from 'fast-xml-parser';
import { SandboxError } from './sandbox-error.js';

const ATTRIBUTE = '@';
const TEXT = '#text';
const MAX_DEPTH = 100;
const NAME = /^[\p{L}_][\p{L}\p{N}_.:-]*$/u;

export interface XmlInput {
  text: string;
  /** Elements that are lists even when there is one. */
  lists: string[];
  removeNamespaces: boolean;
}

/** Elements as fields, attributes as `@name`, text beside them as `#text`. @throws SandboxError `invalid_xml`. */
export function parseXml({ text, lists, removeNamespaces }: XmlInput): unknown {
  // The five entities of XML and numbers are known; none can be defined, and nothing is fetched.
  if (/<!ENTITY/i.test(text)) throw invalid('Entities cannot be defined here.');
  const checked = XMLValidator.validate(text, { allowBooleanAttributes: false });
  if (checked !== true) throw invalid(`${checked.err.msg} (line ${checked.err.line})`);
  const names = new Set(lists);
  const parser = new XMLParser({
    ignoreAttributes: false,
    attributeNamePrefix: ATTRIBUTE,
    textNodeName: TEXT,
    // '007' is not 7.
    parseTagValue: false,
    parseAttributeValue: false,
    // With them the numbers; of names it knows a few signs of money, which say nothing else anywhere.
    htmlEntities: true,
    ignoreDeclaration: true,
    ignorePiTags: true,
    removeNSPrefix: removeNamespaces,
    maxNestedTags: MAX_DEPTH,
    isArray: (name) => names.has(withoutMark(name)),
    transformTagName: (name) => (RESERVED.has(name) ? `${MARK}${name}` : name),
  });
  try {
    const value = parser.parse(text) as unknown;
    return [...RESERVED].some((name) => text.includes(name)) ? withOwnNames(value) : value;
  } catch (cause) {
    throw invalid((cause as Error).message, cause);
  }
}

/** What every object has already: the parser refuses an element that is called so, or calls it otherwise. */
const RESERVED: ReadonlySet<string> = new Set([...Object.getOwnPropertyNames(Object.prototype), 'prototype']);
/** No name of XML holds it. */
const MARK = '\0';

function withoutMark(name: string): string {
  return name.startsWith(MARK) ? name.slice(MARK.length) : name;
}

/** No deeper than the parser reads. */
function withOwnNames(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withOwnNames);
  if (typeof value !== 'object' || value === null) return value;
  // fromEntries defines own properties, so that an element `__proto__` stays a field.
  return Object.fromEntries(
    Object.entries(value).map(([name, field]: [string, unknown]) => [withoutMark(name), withOwnNames(field)]),
  );
}

export interface XmlDocument {
  value: unknown;
  root: string;
  pretty: boolean;
}

/** The way back. @throws SandboxError `invalid_xml` for names that XML does not know. */
export function writeXml({ value, root, pretty }: XmlDocument): string {
  if (!NAME.test(root)) throw unnamed(root);
  const builder = new XMLBuilder({
    ignoreAttributes: false,
    attributeNamePrefix: ATTRIBUTE,
    textNodeName: TEXT,
    format: pretty,
    suppressEmptyNode: true,
    suppressBooleanAttributes: false,
  });
  return `<?xml version="1.0" encoding="UTF-8"?>\n${builder.build({ [root]: writable(value, 0) })}`;
}

/** What no XML holds, not even by number. */
const FORBIDDEN = /(?![\t\n\r\x7f-\x9f])\p{Cc}|[\uFFFE\uFFFF]/gu;

/** An element's content as the builder writes it right: a list in a list has entries, and nothing is an empty text. */
function writable(value: unknown, depth: number): unknown {
  if (depth > MAX_DEPTH) throw invalid(`XML is nested at most ${MAX_DEPTH} levels deep here.`);
  if (typeof value === 'string') return value.replaceAll(FORBIDDEN, '');
  if (typeof value !== 'object' || value === null) return value ?? '';
  if (Array.isArray(value)) return { item: value.map((item) => writable(item, depth + 1)) };
  return Object.fromEntries(
    Object.entries(value).map(([key, field]: [string, unknown]) => {
      const isAttribute = key.startsWith(ATTRIBUTE);
      // A field's name becomes markup as it is: one with a bracket in it would write elements of its own.
      if (key !== TEXT && !NAME.test(isAttribute ? key.slice(ATTRIBUTE.length) : key)) throw unnamed(key);
      if (isAttribute || key === TEXT) {
        if (typeof field === 'object' && field !== null)
          throw invalid(`${JSON.stringify(cutText(key, 100))} can only be a text, a number or a boolean.`);
        return [key, field === null ? field : writable(field, depth + 1)];
      }
      return [key, Array.isArray(field) ? field.map((item) => writable(item, depth + 2)) : writable(field, depth + 1)];
    }),
  );
}

function unnamed(key: string): SandboxError {
  return invalid(`${JSON.stringify(cutText(key, 100))} cannot be the name of an element or attribute.`);
}

function invalid(message: string, cause?: unknown): SandboxError {
  return new SandboxError('invalid_xml', cutText(message, 300), { cause });
}
