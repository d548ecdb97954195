import { cutText } from '@app/common';
import type { ToolCatalogue } from '../tools/tool-catalogue.js';
import type { N8nNode } from './n8n-workflow.js';

/** A node that serves another one, such as the model of an agent. */
export interface ServedNode {
  source: N8nNode;
  /** The kind that an agent uses in its place. */
  toolKind: string | null;
}

/** Those that neither send nor reach anything: what an agent is given, it uses unasked. */
const TOOLS = new Map(
  Object.entries({
    toolCode: 'code',
    toolCalculator: 'expression',
    toolVectorStore: 'semantic_search',
    dateTimeTool: 'date',
    cryptoTool: 'crypto',
  }),
);

export function serve(source: N8nNode, catalogue: ToolCatalogue): ServedNode {
  const type = source.type.split('.').at(-1)!;
  const { mode } = source.parameters;
  const isRetrieval = type.startsWith('vectorStore') && (mode === 'retrieve-as-tool' || mode === 'retrieve');
  const kind = isRetrieval ? 'semantic_search' : TOOLS.get(type);
  return { source, toolKind: kind !== undefined && catalogue.find(kind)?.isNestable ? kind : null };
}

/**
 * What becomes of a node that serves another one which is mapped to a kind: how that kind does without it; null where it
 * does not.
 */
export function standIn({ source, toolKind }: ServedNode, hostKind: string): string | null {
  const type = source.type.split('.').at(-1)!;
  if (/^lm(?:Chat|Open|Ollama|Cohere)/.test(type)) {
    const { model, modelName, modelId } = source.parameters;
    const named = [model, modelName, modelId].map((one) =>
      typeof one === 'object' && one !== null && 'value' in one ? one.value : one,
    );
    const name = named.find((one) => typeof one === 'string' && one !== '');
    return `The language model of this deployment answers in its place${typeof name === 'string' ? ` (it was ${cutText(name, 100)})` : ''}.`;
  }
  if (/^(?:embeddings|textSplitter|document(?:Default|Binary|JSON|Github)|reranker)/.test(type))
    return 'The document search of this deployment does this by itself.';
  if (/^outputParser(?:Structured|Autofixing|ItemList)$/.test(type))
    return hostKind === 'language_model'
      ? 'The model is asked for this form; an answer that is not of it fails the node.'
      : 'The kind that took the place of its host has a form of its own: see its output.';
  if (type === 'toolThink') return 'The agent thinks before each step as it is.';
  if (hostKind !== 'agent' || toolKind === null) return null;
  return `The agent may use ${toolKind} in its place, without what was set here: say in the instructions what to do with it.`;
}
