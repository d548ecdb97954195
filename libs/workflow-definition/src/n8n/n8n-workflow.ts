import { cutText, ValidationError } from '@app/common';
import { z } from 'zod';

export const MAX_N8N_NODES = 400;
export const MAX_N8N_CONNECTIONS = 5_000;

const nodeSchema = z.looseObject({
  name: z.string().min(1).max(500),
  type: z.string().min(1).max(200),
  typeVersion: z.number().catch(1),
  parameters: z.record(z.string(), z.unknown()).catch({}),
  position: z.tuple([z.number(), z.number()]).catch([0, 0]),
  disabled: z.boolean().catch(false),
  onError: z.string().optional().catch(undefined),
  continueOnFail: z.boolean().catch(false),
  executeOnce: z.boolean().catch(false),
  alwaysOutputData: z.boolean().catch(false),
  retryOnFail: z.boolean().catch(false),
  maxTries: z.number().catch(3),
  waitBetweenTries: z.number().catch(1_000),
  credentials: z.record(z.string(), z.unknown()).optional().catch(undefined),
});
const targetSchema = z.looseObject({ node: z.string(), type: z.string().catch('main'), index: z.number().catch(0) });
const connectionsSchema = z.record(z.string(), z.record(z.string(), z.array(z.array(targetSchema).nullish())));

export type N8nNode = z.output<typeof nodeSchema>;

export interface N8nEdge {
  source: string;
  /** Which of the outputs of its source, counted from 0. */
  output: number;
  target: string;
  /** Which of the inputs of its target. */
  input: number;
}

export interface N8nWorkflow {
  name: string;
  nodes: N8nNode[];
  /** Those too that are notes, or serve others. */
  all: readonly N8nNode[];
  /** Between nodes that hand on items, without those to nodes that do not exist. */
  edges: N8nEdge[];
  /** Nodes that serve another one, such as the model of an agent: names by the node that they serve. */
  attachments: Map<string, string[]>;
  /** Sample items by node. */
  pinned: Map<string, unknown[]>;
}

/**
 * Reads what n8n's "Download" gives, or a copied selection of nodes.
 * @param field the name under which the client sent it.
 * @throws ValidationError for anything else.
 */
export function readN8nWorkflow(json: unknown, field: string): N8nWorkflow {
  const refuse = (message: string) => new ValidationError({ [field]: [message] }, { code: 'not_an_n8n_workflow' });
  if (typeof json !== 'object' || json === null || Array.isArray(json))
    throw refuse('An n8n workflow is a JSON object.');
  const { name, nodes, connections, pinData } = json as Record<string, unknown>;
  if (!Array.isArray(nodes)) throw refuse('An n8n workflow has a list of nodes.');
  if (nodes.length > MAX_N8N_NODES) throw refuse(`At most ${MAX_N8N_NODES} nodes can be imported.`);
  const parsed = z.array(nodeSchema).safeParse(nodes.map(named));
  if (!parsed.success) throw refuse(`nodes.${parsed.error.issues[0]!.path.join('.')}: a node has a name and a type.`);
  renameNotes(parsed.data);
  const names = new Set(parsed.data.map((node) => node.name));
  if (names.size < parsed.data.length) throw refuse('Two nodes have the same name.');
  const wires = connectionsSchema.safeParse(connections ?? {});
  if (!wires.success) throw refuse('The connections cannot be read.');
  const wired = readWires(wires.data, names);
  if (wired.edges.length > MAX_N8N_CONNECTIONS)
    throw refuse(`At most ${MAX_N8N_CONNECTIONS} connections can be imported.`);
  return {
    name: typeof name === 'string' ? name : '',
    nodes: parsed.data,
    all: parsed.data,
    ...wired,
    pinned: readPinned(pinData),
  };
}

/** What a note is called leads nowhere, so it may be called like another node. */
function renameNotes(nodes: N8nNode[]): void {
  const isNote = ({ type }: N8nNode) => type.endsWith('.stickyNote');
  const used = new Set(nodes.filter((node) => !isNote(node)).map(({ name }) => name));
  for (const note of nodes.filter(isNote)) {
    for (let copy = 2; used.has(note.name); copy += 1) note.name = `${cutText(note.name, 480)} (note ${copy})`;
    used.add(note.name);
  }
}

/** Generated notes have no name, and need none. */
function named(node: unknown, index: number): unknown {
  if (typeof node !== 'object' || node === null || 'name' in node || !('type' in node)) return node;
  const isNote = typeof node.type === 'string' && node.type.endsWith('.stickyNote');
  return isNote ? { ...node, name: `Note ${index + 1}` } : node;
}

function readWires(
  connections: z.output<typeof connectionsSchema>,
  names: ReadonlySet<string>,
): Pick<N8nWorkflow, 'edges' | 'attachments'> {
  const edges: N8nEdge[] = [];
  const attachments = new Map<string, string[]>();
  for (const [source, byType] of Object.entries(connections)) {
    if (!names.has(source)) continue;
    for (const [type, outputs] of Object.entries(byType)) {
      for (const [output, targets] of outputs.entries()) {
        for (const { node: target, index: input } of targets ?? []) {
          if (!names.has(target)) continue;
          if (type === 'main') edges.push({ source, output, target, input });
          else attachments.set(target, [...(attachments.get(target) ?? []), source]);
        }
      }
    }
  }
  return { edges, attachments };
}

function readPinned(pinData: unknown): Map<string, unknown[]> {
  if (typeof pinData !== 'object' || pinData === null) return new Map();
  return new Map(
    Object.entries(pinData).flatMap(([name, items]): [string, unknown[]][] =>
      Array.isArray(items) ? [[name, items.map(toJson)]] : [],
    ),
  );
}

function toJson(item: unknown): unknown {
  return typeof item === 'object' && item !== null && 'json' in item ? item.json : item;
}
