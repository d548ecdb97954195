import { MAX_NODES } from '../graph/limits.js';
import { nodeShape } from '../graph/node-schema.js';
import type { ToolCatalogue } from '../tools/tool-catalogue.js';
import { type JsonSchema, plain, referenceDefs } from '../tools/with-references.js';

const idsOf = (description: string): JsonSchema => ({
  description,
  anyOf: [{ type: 'array', items: { type: 'string' } }, { type: 'null' }],
});

/**
 * The JSON Schema (draft 2020-12) of a `json_spec`, made of the catalogue. It allows everything that a save accepts, and
 * refuses what a save refuses for its shape; what a schema cannot say (unknown ids, circles, references that lead
 * nowhere) is left to `validate/`.
 */
export function toDefinitionSchema(catalogue: ToolCatalogue): JsonSchema {
  const tools = catalogue.list().toSorted((a, b) => a.kind.localeCompare(b.kind, 'en'));
  const node = plain(nodeShape());
  const properties = node.properties as JsonSchema;
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Workflow definition',
    description: 'A directed graph of nodes. Execution follows next; edges are those of the canvas.',
    type: 'object',
    properties: {
      name: { description: 'As people call the workflow.' },
      version: { description: 'Of the author, such as "1.0".' },
      entry: idsOf('The nodes that start a run; without any, all those that none leads to.'),
      nodes: { type: 'array', maxItems: MAX_NODES, items: { $ref: '#/$defs/node' } },
      edges: {
        description:
          'Canvas edges like {"id", "source", "target", "sourceHandle"}. Where there are no next, next and outlets are made of them.',
        anyOf: [{ type: 'array' }, { type: 'null' }],
      },
    },
    required: ['nodes'],
    $defs: {
      ...referenceDefs,
      node: {
        ...node,
        properties: {
          ...properties,
          kind: { description: 'A kind of the catalogue.', type: 'string', enum: tools.map(({ kind }) => kind) },
        },
        allOf: tools.map(({ kind }) => ({
          if: { type: 'object', properties: { kind: { not: { const: kind } } } },
          else: { $ref: `#/$defs/kind_${kind}` },
        })),
      },
      ...Object.fromEntries(
        tools.map((tool) => {
          const params = tool.paramsInDefinitions();
          const isNeeded = params.required !== undefined;
          const forms = [params, { $ref: '#/$defs/reference' }, ...(isNeeded ? [] : [{ type: 'null' }])];
          const about = { title: tool.title, description: tool.description };
          const needs = isNeeded ? { required: ['params'] } : {};
          return [
            `kind_${tool.kind}`,
            { ...about, type: 'object', properties: { params: { anyOf: forms } }, ...needs },
          ];
        }),
      ),
    },
  };
}
