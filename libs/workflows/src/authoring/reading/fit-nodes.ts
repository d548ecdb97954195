import { cutText } from '@app/common';
import { outletsOf, plainly, targetsAt, toPath } from '@app/workflow-definition';
import { fieldMeant, placeIn } from '../dry-run/output-schema.js';
import type { Catalogued } from '../catalogued.js';
import { isJson, type Json, nodesIn, paramsIn, textsIn } from '../json.js';
import { newDefinition } from './new-definition.js';
import { readAnswer } from './read-answer.js';
import { fittedParams } from './read-node.js';
import { FIELD_SYNONYMS } from './synonyms.js';
import { idFinder, type NamedNodes, withKnownReferences } from './reference-texts.js';

const MAX_NAME = 100;
const MAX_DEPTH = 4;

/**
 * The definition with its touched nodes as they are meant: params in the types and under the names of their kind,
 * references as the platform writes them, names for people. Other nodes are the very same objects.
 */
export function fitNodes(spec: Json, touched: ReadonlySet<string>, base: Json | null, catalogued: Catalogued): Json {
  return fit(spec, (id) => touched.has(id), base, catalogued, false, 0);
}

function fit(
  spec: Json,
  isTouched: (id: string) => boolean,
  base: Json | null,
  catalogued: Catalogued,
  hasItem: boolean,
  depth: number,
): Json {
  const nodes = nodesIn(spec);
  const before = new Map(nodesIn(base).map((node) => [node.id, node]));
  const named = nodes.map((node) => ({ id: String(node.id), name: String(node.name ?? ''), kind: String(node.kind) }));
  const kinds = new Map(named.map(({ id, kind }) => [id, kind]));
  const schemas = new Map(catalogued.tools.map((tool) => [tool.kind, tool.output_schema]));
  const idOf = idFinder(named);
  const lookup: Omit<NamedNodes, 'hasItem'> = {
    idOf,
    fieldOf: (id, name) => fieldMeant(schemas.get(kinds.get(id) ?? ''), name, FIELD_SYNONYMS),
    outputOf: (id) => schemas.get(kinds.get(id) ?? ''),
  };
  const taken = new Set(nodes.flatMap(({ id, name }) => (isTouched(String(id)) ? [] : [name])));
  return {
    ...spec,
    nodes: nodes.map((node) => {
      if (!isTouched(String(node.id))) return node;
      const known = before.get(node.id);
      const kept = known?.kind === node.kind ? paramsIn(known!) : {};
      const isItemised = hasItem || node.kind === 'batch';
      const params = fitParams(node, kept, { ...lookup, hasItem: isItemised }, catalogued, depth);
      const name = labelOf(node, known, taken, catalogued);
      taken.add(name);
      const outlets = outletsOf(catalogued.catalogue.find(String(node.kind))?.outlets ?? [], params);
      const chosen = outlets.flatMap((outlet) => targetsAt(outlet, params)).filter((id) => kinds.has(id));
      const next = textsIn(node.next);
      const more = Array.isArray(node.next) ? chosen.filter((id) => !next.includes(id)) : [];
      return { ...node, name, params, ...(more.length > 0 && { next: [...next, ...new Set(more)] }) };
    }),
  };
}

/** Only what is new in them; the others stay the very same values. */
function fitParams(node: Json, kept: Json, nodes: NamedNodes, catalogued: Catalogued, depth: number): Json {
  const kind = String(node.kind);
  const params = paramsIn(node);
  const isKept = (name: string) =>
    Object.hasOwn(kept, name) && JSON.stringify(kept[name]) === JSON.stringify(params[name]);
  const added = Object.fromEntries(Object.entries(params).filter(([name]) => !isKept(name)));
  const schema = catalogued.tools.find((tool) => tool.kind === kind)?.params_schema;
  const fitted = isJson(schema) ? fittedParams(kind, added, schema, catalogued.tools) : added;
  const inner = isJson(fitted.body) && depth < MAX_DEPTH && catalogued.catalogue.find(kind)?.opaqueParams?.has('body');
  const { body, ...others } = fitted;
  const known = withKnownReferences(inner ? others : fitted, nodes) as Json;
  const referenced = isJson(schema) ? listsWhereWanted(known, schema, nodes) : known;
  // A name that was meant for another one takes its place.
  const rest = Object.fromEntries(Object.entries(params).filter(([name]) => isKept(name) && !(name in referenced)));
  return { ...rest, ...referenced, ...(inner && { body: fitBody(body as Json, catalogued, depth) }) };
}

/** A single value of an earlier output, where a list of such values is wanted, is the only one of a list. */
function listsWhereWanted(params: Json, { properties }: Json, { outputOf }: NamedNodes): Json {
  const entries = Object.entries(params).map(([name, value]): [string, unknown] => {
    const wanted = isJson(properties) ? properties[name] : undefined;
    if (!isJson(value) || typeof value.$ref !== 'string' || !isJson(wanted) || wanted.type !== 'array')
      return [name, value];
    const [root, id, ...path] = toPath(value.$ref);
    const place = root === '_output' && id !== undefined ? placeIn(outputOf(id), path) : null;
    const isOne = place?.known === 'yes' && isJson(wanted.items) && place.schema.type === wanted.items.type;
    return [name, isOne ? [value] : value];
  });
  return Object.fromEntries(entries);
}

/** The definition that a loop runs. */
function fitBody(body: Json, catalogued: Catalogued, depth: number): Json {
  const written = readAnswer({ nodes: body.nodes ?? [], ...body }, catalogued.tools)?.definition;
  if (!written) return body;
  const { edges: _drawn, ...spec } = newDefinition(written, String(body.name ?? 'Body'), catalogued.catalogue);
  return fit(spec, () => true, null, catalogued, true, depth + 1);
}

/** As people read it: not an id, not a kind. */
function labelOf(node: Json, known: Json | undefined, taken: ReadonlySet<unknown>, { tools }: Catalogued): string {
  const name = typeof node.name === 'string' ? node.name.trim() : '';
  if (known && known.name === node.name) return node.name as string;
  const plain = plainly(name);
  const isTechnical =
    name === '' || plain === plainly(String(node.kind)) || (name === node.id && /[_-]|^[a-z\d]+$/.test(name));
  if (!isTechnical) return cutText(name, MAX_NAME);
  const id = String(node.id);
  const words = id
    .replaceAll(/([\p{Ll}\d])(\p{Lu})/gu, '$1 $2')
    .replaceAll(/[_-]+/g, ' ')
    .trim();
  const isTelling =
    /\p{L}{3}/u.test(words) && !/^(?:node|step|n)\s*\d*$/i.test(words) && plainly(words) !== plainly(String(node.kind));
  const title = isTelling
    ? words.charAt(0).toUpperCase() + words.slice(1)
    : (tools.find(({ kind }) => kind === node.kind)?.name ?? String(node.kind));
  let label = title;
  for (let number = 2; taken.has(label); number += 1) label = `${title} ${number}`;
  return cutText(label, MAX_NAME);
}
