import { parseKeepingNumbers } from '@app/common';
import type { MappedOutputs, Mapper, NodeMapping } from '../node-mapping.js';
import { isObject } from '../json-object.js';
import { refTo } from '../shape.js';
import { record } from './api-call.js';
import { sentimentAnalysis, textClassifier } from './classes.js';
import { schemaOf } from './output-schema.js';

const PLACEHOLDER_PROMPT = 'Write the task here.';

/** The prompt of a model node, whichever of the many that n8n has. */
function promptOf(node: NodeMapping): { prompt: string; system: string } {
  const { text, prompt, messages, promptType, options, responses } = node.parameters;
  const system = isObject(options) ? options.systemMessage : '';
  const holder = isObject(messages)
    ? (messages.values ?? messages.messageValues)
    : isObject(responses)
      ? responses.values
      : isObject(prompt)
        ? (prompt.messages ?? null)
        : null;
  const list = Array.isArray(holder) ? holder.filter(isObject) : [];
  const said = (role: string) =>
    list
      .filter((one) => (one.role ?? 'user') === role || (role === 'user' && one.type === 'HumanMessagePromptTemplate'))
      .map((one) => one.content ?? one.message)
      .filter((one) => typeof one === 'string' && one !== '');
  const plain = [text, prompt].find((one) => typeof one === 'string' && one !== '');
  const asked = promptType === 'auto' ? '={{ $json.chatInput }}' : (plain ?? said('user').at(-1));
  if (asked === undefined && promptType === 'define') node.note('The prompt is not in the export: write it.');
  const fallback = promptType === 'define' ? PLACEHOLDER_PROMPT : '={{ $json.chatInput }}';
  return { prompt: String(asked ?? fallback), system: String(said('system')[0] ?? system ?? '') };
}

/** A model is asked something, even where a template leaves that to whoever uses it. */
function promptText(node: NodeMapping, prompt: string): unknown {
  const text = node.text(prompt);
  if (typeof text !== 'string' || text.trim() !== '') return text;
  node.note('The prompt is not in the export: write it.');
  return PLACEHOLDER_PROMPT;
}

function ask(node: NodeMapping, field: string): MappedOutputs | null {
  if (!node.has('language_model')) return null;
  const schema = schemaOf(node);
  node.note('It asks the language model of this deployment, without the memory that it may have had.');
  const { outputs, isList } = node.addForEach('language_model', () => {
    const { prompt, system } = promptOf(node);
    return {
      prompt: promptText(node, prompt),
      ...(system !== '' && { system: node.text(system) }),
      ...(schema && { output_schema: schema }),
    };
  });
  return answers(node, outputs, isList, field, schema ? 'object' : 'text');
}

function answers(node: NodeMapping, outputs: string, isList: boolean, field: string, from: string): MappedOutputs {
  if (isList) {
    const answer = field === 'message' ? `{ message: { content: one.${from} } }` : `{ ${field}: one.${from} }`;
    const code = `return items.map((one) => (${answer}));`;
    const { id } = node.add('code', { code, items: refTo(outputs) }, 'answers');
    return { shapes: [{ type: 'list', ref: `_output.${id}.result` }] };
  }
  const answer = refTo(`${outputs}.${from}`);
  return { shapes: [{ type: 'single', item: { [field]: field === 'message' ? { content: answer } : answer } }] };
}

/** @param field under which n8n hands on the answer. */
const model =
  (field: string): Mapper =>
  (node) =>
    ask(node, field);

/** Of what n8n's nodes of model providers do, the part that is a text for a text. */
const provider =
  (field: string): Mapper =>
  (node) => {
    const { resource = 'text', operation = 'message' } = node.parameters;
    const isText = ['text', 'chat', 'message'].includes(String(resource));
    const isMessage = ['message', 'response', 'complete', 'completion', 'chat', 'generate'].includes(String(operation));
    if (!isText || !isMessage) {
      node.note(
        `“${String(resource)}: ${String(operation)}” is no question to a language model, and has no counterpart here.`,
      );
      return null;
    }
    return ask(node, field);
  };

/** An agent keeps those of its tools that are kinds here. */
const agent: Mapper = (node) => {
  const tools = node.attachments.flatMap((served) => served.toolKind ?? []);
  if (tools.length === 0 || !node.has('agent')) return ask(node, 'output');
  node.note(`It works with the language model of this deployment and with ${tools.join(', ')}, and has no memory.`);
  const { prompt, system } = promptOf(node);
  const params = {
    prompt: promptText(node, prompt),
    ...(system !== '' && { instructions: node.text(system) }),
    tools: [...new Set(tools)],
  };
  const { id } = node.add('agent', params);
  return answers(node, `_output.${id}`, false, 'output', 'text');
};

const TYPES = new Map(Object.entries({ string: 'text', number: 'number', boolean: 'boolean', date: 'date' }));

const informationExtractor: Mapper = (node) => {
  const { text, schemaType = 'fromAttributes', attributes, jsonSchemaExample, inputSchema, options } = node.parameters;
  if (!node.has('extract_fields')) return null;
  const fields =
    schemaType === 'fromAttributes' ? attributeFields(attributes) : schemaFields(jsonSchemaExample ?? inputSchema);
  if (fields.length === 0) return null;
  const { systemPromptTemplate } = record(options);
  node.note('It asks the language model of this deployment.');
  const { outputs, isList } = node.addForEach('extract_fields', () => ({
    text: node.text(text),
    fields,
    ...(typeof systemPromptTemplate === 'string' && { instructions: node.text(systemPromptTemplate) }),
  }));
  return answers(node, outputs, isList, 'output', 'fields');
};

function attributeFields(attributes: unknown): Record<string, unknown>[] {
  const list = record(attributes).attributes;
  return (Array.isArray(list) ? list.filter(isObject) : []).map(({ name, type, description }) => ({
    name: String(name ?? 'value'),
    type: TYPES.get(String(type ?? 'string')) ?? 'text',
    ...(typeof description === 'string' && description !== '' && { description }),
  }));
}

function schemaFields(json: unknown): Record<string, unknown>[] {
  try {
    const value: unknown = typeof json === 'string' ? parseKeepingNumbers(json.replace(/^=/, '')) : json;
    const properties = isObject(record(value).properties) ? record(record(value).properties) : record(value);
    return Object.entries(properties).map(([name, one]) => {
      const type = isObject(one) && typeof one.type === 'string' ? one.type : Array.isArray(one) ? 'array' : typeof one;
      const description = isObject(one) && typeof one.description === 'string' ? { description: one.description } : {};
      return { name, type: type === 'array' ? 'list' : (TYPES.get(type) ?? 'text'), ...description };
    });
  } catch {
    return [];
  }
}

const chainSummarization: Mapper = (node) => {
  if (!node.has('summarise_text')) return null;
  node.note('It asks the language model of this deployment, in its own words, for a summary of the item.');
  const { outputs, isList } = node.addForEach('summarise_text', () => ({
    text: node.text('={{ $json.text ?? $json.data ?? $json.content ?? JSON.stringify($json) }}'),
  }));
  return answers(node, outputs, isList, 'output', 'summary');
};

const chainRetrievalQa: Mapper = (node) => {
  if (!node.has('ask_documents')) return null;
  node.note('It answers from the documents of the owner of the workflow: upload what it should know.');
  const { outputs, isList } = node.addForEach('ask_documents', () => ({ question: node.text(promptOf(node).prompt) }));
  return answers(node, outputs, isList, 'response', 'answer');
};

/** Vectors are the business of the document search here. */
const vectorStore: Mapper = (node) => {
  const { mode = 'retrieve', prompt, topK } = node.parameters;
  if (mode === 'load' && node.has('semantic_search')) {
    node.note('It searches the documents of the owner of the workflow.');
    const limit = typeof topK === 'number' ? { limit: Math.min(Math.max(Math.round(topK), 1), 50) } : {};
    const { id } = node.add('semantic_search', { query: node.text(prompt) || 'Write the question here.', ...limit });
    return { shapes: [{ type: 'list', ref: `_output.${id}.items` }] };
  }
  if (mode !== 'insert' || !node.has('save_document') || !node.has('file_writer')) return null;
  node.note('What reaches it is kept as a document of the owner of the workflow, and indexed as an upload is.');
  const written = node.add(
    'file_writer',
    { path: `${node.id}.txt`, content: node.text('={{ $json.text ?? $json.data ?? JSON.stringify($json) }}') },
    'file',
  );
  const { id } = node.add('save_document', { file: refTo(`_output.${written.id}.path`) });
  return { shapes: [{ type: 'single', item: refTo(`_output.${id}`) }] };
};

const stores = [
  'Pinecone',
  'Supabase',
  'Qdrant',
  'InMemory',
  'PGVector',
  'Weaviate',
  'Milvus',
  'MongoDBAtlas',
  'Redis',
  'Chroma',
  'Zep',
  'AzureAISearch',
  'OracleDB',
];

export const models: Record<string, Mapper> = {
  agent,
  chainLlm: model('text'),
  openAi: provider('message'),
  googleGemini: provider('content'),
  anthropic: provider('content'),
  ollama: provider('content'),
  mistralAi: provider('content'),
  perplexity: provider('message'),
  informationExtractor,
  textClassifier,
  sentimentAnalysis,
  chainSummarization,
  chainRetrievalQa,
  ...Object.fromEntries(stores.map((name) => [`vectorStore${name}`, vectorStore])),
};
