import { isUuid } from '@app/common';
import { compileParams, reachOf, type ResourceType, toPath, valueAt } from '@app/workflow-definition';
import type { Catalogued } from '../catalogued.js';
import { isJson, type Json, nodesIn, paramsIn } from '../json.js';
import { withValueAt } from '../operations/node-fields.js';
import { kindMeant } from '../reading/kind-names.js';
import type { KnownThings } from './known-things.js';
import { type Named, thingMeant } from './named-thing.js';
import { checkSecretPlaces } from './secret-places.js';
import { checkSql } from './sql-tables.js';

export interface ThingProblem {
  code: string;
  nodeId: string;
  path: string;
  message: string;
}

export interface CheckedThings {
  /** Names replaced by the ids that they mean. */
  spec: Json;
  problems: ThingProblem[];
  /** How many were looked up. */
  checked: number;
  /** Names with a slip, and what they were taken for. */
  notes: { nodeId: string; message: string }[];
}

type Report = (code: string, path: string, message: string) => void;

/**
 * Whether the tables, documents, servers, workflows and secrets that touched nodes name are really there for whoever has
 * them written; what is named as people call it gets its id.
 */
export async function checkThings(
  spec: Json,
  touched: ReadonlySet<string>,
  things: KnownThings,
  catalogued: Catalogued,
): Promise<CheckedThings> {
  const problems: ThingProblem[] = [];
  const notes: CheckedThings['notes'] = [];
  let checked = 0;
  const written = new Set(
    nodesIn(spec).flatMap((node) => (node.kind === 'file_writer' ? [String(paramsIn(node).path)] : [])),
  );
  // What the workflow itself puts somewhere is there when it looks.
  const saved = nodesIn(spec).flatMap((node) =>
    node.kind === 'save_document' ? [String(paramsIn(node).folder ?? '').replaceAll(/^\/+|\/+$/g, '')] : [],
  );
  const known = { ...things, folders: [...things.folders, ...saved] };
  const nodes = await Promise.all(
    nodesIn(spec).map(async (node) => {
      const nodeId = String(node.id);
      if (!touched.has(nodeId)) return node;
      const report: Report = (code, path, message) => problems.push({ code, nodeId, path, message });
      const one = new NodeThings(node, known, catalogued, written, report);
      const changed = await one.check();
      checked += one.checked;
      notes.push(...one.notes.map((message) => ({ nodeId, message })));
      return changed;
    }),
  );
  return { spec: { ...spec, nodes }, problems, checked, notes };
}

class NodeThings {
  checked = 0;
  readonly notes: string[] = [];
  private params: Json;

  constructor(
    private readonly node: Json,
    private readonly things: KnownThings,
    private readonly catalogued: Catalogued,
    private readonly writtenFiles: ReadonlySet<string>,
    private readonly report: Report,
  ) {
    this.params = paramsIn(node);
  }

  async check(): Promise<Json> {
    const kind = String(this.node.kind);
    const { resources } = reachOf(kind, this.params, this.catalogued.catalogue);
    for (const [path, type] of Object.entries(resources)) await this.checkParam(path, type);
    if (kind === 'mcp_tool') this.checkServerTool();
    if (kind === 'agent') this.checkAgentTools();
    if (kind === 'database_query') checkSql(this.params, this.things.tableFiles, this.report);
    const { uses } = compileParams(this.params, () => true);
    this.checked += checkSecretPlaces(kind, this.params, uses, this.things.secrets, this.catalogued, this.report);
    return this.params === this.node.params || !isJson(this.node.params)
      ? this.node
      : { ...this.node, params: this.params };
  }

  private async checkParam(path: string, type: ResourceType): Promise<void> {
    const value = valueAt(this.params, toPath(path));
    const list: unknown[] = Array.isArray(value) ? (value as unknown[]) : [value];
    for (const [index, item] of list.entries()) {
      if (typeof item !== 'string' || item === '' || item.includes('{{')) continue;
      const named = await this.find(item, type, path);
      if (named === null) continue;
      this.checked += 1;
      const at = Array.isArray(value) ? `${path}.${index}` : path;
      if ('message' in named) {
        this.report(`unknown_${type === 'scope' ? 'folder' : type}`, `params.${at}`, named.message);
        continue;
      }
      if (named.takenAs !== undefined)
        this.notes.push(`${JSON.stringify(item)} was taken for ${JSON.stringify(named.takenAs)}.`);
      if (named.id !== item) this.params = withValueAt(this.params, toPath(at), named.id) as Json;
    }
  }

  /** Null: nobody can tell. */
  private async find(name: string, type: ResourceType, path: string): Promise<Named | null> {
    const { tableFiles, documents, folders, workflows } = this.things;
    const asDocument = documents.map(({ uid, filename }) => ({ id: uid, names: [filename] }));
    switch (type) {
      case 'table':
        return thingMeant(
          name,
          'file of tables',
          tableFiles.map(({ uid, filename, tables }) => ({
            id: uid,
            names: [filename, ...tables.map((table) => table.name)],
          })),
          true,
        );
      case 'workflow':
        return thingMeant(
          name,
          'workflow',
          workflows.map((workflow) => ({ id: workflow.id, names: [workflow.name] })),
          true,
        );
      case 'document':
        return this.orReadable(name, thingMeant(name, 'document', asDocument, true));
      case 'file': {
        // Paths of media and of files that workflows wrote say nothing of themselves.
        if (name.includes('/') || this.writtenFiles.has(name)) return null;
        return this.orReadable(name, thingMeant(name, 'document', asDocument, true));
      }
      case 'scope':
        if (!/(?:^|\.)folder$/.test(path)) return null;
        return thingMeant(
          name.replaceAll(/^\/+|\/+$/g, ''),
          'folder',
          withParents(folders).map((folder) => ({ id: folder, names: [folder, folder.split('/').at(-1)!] })),
          true,
        );
      case 'extracted_table':
        return null;
    }
  }

  private async orReadable(name: string, named: Named): Promise<Named> {
    if ('id' in named || !isUuid(name)) return named;
    return (await this.things.mayRead(name)) ? { id: name } : named;
  }

  private checkServerTool(): void {
    const { server, tool } = this.params;
    if (typeof server !== 'string' || typeof tool !== 'string') return;
    this.checked += 1;
    const { servers } = this.things;
    const found = thingMeant(
      server,
      'connected server',
      servers.map(({ slug, label }) => ({ id: slug, names: [slug, label] })),
    );
    if ('message' in found) return this.report('unknown_server', 'params.server', found.message);
    const known = servers.find(({ slug }) => slug === found.id)!;
    const meant = thingMeant(
      tool,
      `tool of ${known.slug}`,
      known.tools.map(({ name, offeredName }) => ({ id: name, names: [name, offeredName] })),
    );
    if ('message' in meant) return this.report('unknown_tool', 'params.tool', meant.message);
    this.params = { ...this.params, server: found.id, tool: meant.id };
    const schema = known.tools.find(({ name }) => name === meant.id)!.inputSchema;
    const input = isJson(this.params.input) ? this.params.input : {};
    const required = Array.isArray(schema.required) ? schema.required.map(String) : [];
    const missing = required.filter((name) => !Object.hasOwn(input, name));
    if (missing.length > 0 && !('$ref' in input))
      this.report('missing_input', 'params.input', `The tool ${meant.id} needs ${missing.join(', ')}.`);
  }

  private checkAgentTools(): void {
    const { tools } = this.params;
    if (!Array.isArray(tools)) return;
    const kinds = this.catalogued.tools.map(({ kind }) => ({ id: kind, names: [kind] }));
    const offered = this.things.servers.flatMap(({ slug, tools: some }) =>
      some.map(({ name, offeredName }) => ({ id: offeredName, names: [`${slug}/${name}`, `mcp:${slug}/${name}`] })),
    );
    const meant = tools.map((tool: unknown, index) => {
      if (typeof tool !== 'string') return tool;
      this.checked += 1;
      const named = thingMeant(kindMeant(tool, this.catalogued.tools), 'tool', [...kinds, ...offered]);
      if ('id' in named) return named.id;
      this.report('unknown_tool', `params.tools.${index}`, named.message);
      return tool;
    });
    if (JSON.stringify(meant) !== JSON.stringify(tools)) this.params = { ...this.params, tools: meant };
  }
}

/** A folder is there where one in it is. */
function withParents(folders: readonly string[]): string[] {
  const all = folders.flatMap((folder) => folder.split('/').map((_, at, parts) => parts.slice(0, at + 1).join('/')));
  return [...new Set(all)].filter((folder) => folder !== '');
}
