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
    ignoreDeclaration: true,
    ignorePiTags: true,
    removeNSPrefix: removeNamespaces,
    maxNestedTags: MAX_DEPTH,
    isArray: (name) => names.has(name),
  });
  try {
    return parser.parse(text) as unknown;
  } catch (cause) {
    throw invalid((cause as Error).message, cause);
  }
}

export interface XmlDocument {
  value: unknown;
  root: string;
  pretty: boolean;
}

/** The way back. @throws SandboxError `invalid_xml` for names that XML does not know. */
export function writeXml({ value, root, pretty }: XmlDocument): string {
  requireNames({ [root]: value }, 0);
  const builder = new XMLBuilder({
    ignoreAttributes: false,
    attributeNamePrefix: ATTRIBUTE,
    textNodeName: TEXT,
    format: pretty,
    suppressEmptyNode: true,
    suppressBooleanAttributes: false,
  });
  const content = Array.isArray(value) ? { item: value as unknown } : value;
  return `<?xml version="1.0" encoding="UTF-8"?>\n${builder.build({ [root]: content ?? '' })}`;
}

/** A field's name becomes markup as it is: one with a bracket in it would write elements of its own. */
function requireNames(value: unknown, depth: number): void {
  if (typeof value !== 'object' || value === null) return;
  if (depth > MAX_DEPTH) throw invalid(`XML is nested at most ${MAX_DEPTH} levels deep here.`);
  for (const [key, item] of Object.entries(value)) {
    const name = key.startsWith(ATTRIBUTE) ? key.slice(ATTRIBUTE.length) : key;
    if (!Array.isArray(value) && key !== TEXT && !NAME.test(name)) {
      throw invalid(`${JSON.stringify(key.slice(0, 100))} cannot be the name of an element or attribute.`);
    }
    requireNames(item, depth + 1);
  }
}

function invalid(message: string, cause?: unknown): SandboxError {
  return new SandboxError('invalid_xml', message.slice(0, 300), { cause });
}
