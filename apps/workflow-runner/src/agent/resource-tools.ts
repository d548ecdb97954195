import { type AgentTool, cutLine, type ToolAnswer, ToolCallError } from '@app/agents';
import type { ResourcePart, ServerContents, ServerRecord, ServerRecords } from '@app/mcp';
import { type StoragePort, toolApproval, type Viewer } from '@app/workflow-definition';
import { Logger } from '@nestjs/common';
import { partyOf } from './outside-effects.js';
import { type GivenFile, keepServerFiles } from './server-files.js';
import { toCallError } from './tool-failure.js';

const LISTED_DESCRIPTION = 200;

/** What the user's connected servers offer to be read, beside their tools. */
export class ResourceTools {
  private readonly logger = new Logger(ResourceTools.name);

  constructor(
    private readonly records: ServerRecords,
    private readonly contents: ServerContents,
    private readonly storage: StoragePort | undefined,
  ) {}

  /** Empty where no server is connected. */
  async list(viewer: Viewer): Promise<AgentTool[]> {
    const servers = (await this.records.list(viewer.userId)).filter(
      ({ enabled, status }) => enabled && status === 'ok',
    );
    return servers.length === 0 ? [] : [this.lister(viewer, servers), this.reader(viewer, servers)];
  }

  private lister({ userId }: Viewer, servers: readonly ServerRecord[]): AgentTool {
    return {
      name: 'list_server_resources',
      title: 'List resources of a connected server',
      description: 'Lists what a connected server offers to be read.',
      inputSchema: {
        type: 'object',
        properties: { server: serverSchema(servers) },
        required: ['server'],
        additionalProperties: false,
      },
      effectsOf: () => 'none',
      approvalFor: () => null,
      ...partiesOf(servers),
      run: ({ server }, { signal }) =>
        this.answer(signal, async () => {
          const found = await this.contents.resources(userId, idOf(servers, server), signal);
          const output = found.map(({ uri, title, name, description, mimeType, isTemplate }) => ({
            uri,
            ...(isTemplate && { is_template: true }),
            title: title || name,
            description: cutLine(description, LISTED_DESCRIPTION),
            mime_type: mimeType,
          }));
          return { output };
        }),
    };
  }

  private reader(viewer: Viewer, servers: readonly ServerRecord[]): AgentTool {
    return {
      name: 'read_server_resource',
      title: 'Read a resource of a connected server',
      description: 'Reads something that list_server_resources has named, by its uri.',
      inputSchema: {
        type: 'object',
        properties: { server: serverSchema(servers), uri: { type: 'string', title: 'URI' } },
        required: ['server', 'uri'],
        additionalProperties: false,
      },
      effectsOf: () => 'none',
      approvalFor: ({ server, uri }, words) => {
        const [host] = /^https?:/i.test(String(uri)) ? words.foreignHosts(uri) : [];
        const name = findServer(servers, server)?.slug ?? String(server);
        return host === undefined
          ? null
          : toolApproval(
              'read_server_resource',
              `${name}:${host}`,
              `Have ${name} read an address at ${host} that is not your own`,
            );
      },
      ...partiesOf(servers),
      run: ({ server, uri }, context) =>
        this.answer(context.signal, async () => {
          const parts = await this.contents.read(viewer.userId, idOf(servers, server), String(uri), context.signal);
          const { files, pictures } = await keepServerFiles(this.storage, viewer, parts.flatMap(toFile), context);
          const kept = [...files];
          const output = parts.map(({ text, data, ...about }) => ({
            ...about,
            ...(text === null ? { file: data === null ? null : (kept.shift() ?? null) } : { text }),
          }));
          return { output, isCut: parts.some(({ isCut }) => isCut), files, pictures };
        }),
    };
  }

  private async answer(signal: AbortSignal, read: () => Promise<ToolAnswer>): Promise<ToolAnswer> {
    try {
      return await read();
    } catch (error) {
      signal.throwIfAborted();
      throw toCallError(error, 'server_resources', this.logger);
    }
  }
}

function toFile({ uri, mimeType, data }: ResourcePart): GivenFile[] {
  if (data === null) return [];
  const name = uri.split(/[?#]/)[0]!.split('/').at(-1) || 'resource';
  return [{ name, mimeType: mimeType ?? 'application/octet-stream', data: Buffer.from(data, 'base64') }];
}

/** By the names that tools bear; what people and other tools call the servers is told where it is something else. */
function serverSchema(servers: readonly ServerRecord[]) {
  const isTold = servers.some(({ slug, label }) => slug !== label.toLowerCase());
  return {
    type: 'string',
    enum: servers.map(({ slug }) => slug),
    ...(isTold && { description: `One of: ${inWords(servers)}.` }),
  };
}

/** Who is asked is who answers. */
function partiesOf(servers: readonly ServerRecord[]): Pick<AgentTool, 'sourceOf' | 'targetOf'> {
  const find = ({ server }: Record<string, unknown>) => {
    const found = findServer(servers, server);
    return found ? partyOf(found) : null;
  };
  return { sourceOf: find, targetOf: find };
}

/** By its slug, or by its label where that is one server's alone: find_tools names servers so. */
function findServer(servers: readonly ServerRecord[], given: unknown): ServerRecord | undefined {
  const bySlug = servers.find(({ slug }) => slug === given);
  if (bySlug || typeof given !== 'string') return bySlug;
  const wanted = given.trim().toLowerCase();
  const [found, ...others] = servers.filter(({ label }) => label.trim().toLowerCase() === wanted);
  return others.length === 0 ? found : undefined;
}

function idOf(servers: readonly ServerRecord[], given: unknown): number {
  const server = findServer(servers, given);
  if (server) return server.id;
  const told = `server: There is no such connected server. There are: ${inWords(servers)}.`;
  throw new ToolCallError('invalid_params', told, true);
}

const inWords = (servers: readonly ServerRecord[]) =>
  servers.map(({ slug, label }) => `${slug} (${cutLine(label, 60)})`).join(', ');
