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
        return host === undefined
          ? null
          : toolApproval(
              'read_server_resource',
              `${String(server)}:${host}`,
              `Have ${String(server)} read an address at ${host} that is not your own`,
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
          return { output, files, pictures };
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

function serverSchema(servers: readonly ServerRecord[]) {
  return { type: 'string', enum: servers.map(({ slug }) => slug) };
}

/** Who is asked is who answers. */
function partiesOf(servers: readonly ServerRecord[]): Pick<AgentTool, 'sourceOf' | 'targetOf'> {
  const find = ({ server }: Record<string, unknown>) => {
    const found = servers.find(({ slug }) => slug === server);
    return found ? partyOf(found) : null;
  };
  return { sourceOf: find, targetOf: find };
}

function idOf(servers: readonly ServerRecord[], slug: unknown): number {
  const server = servers.find((one) => one.slug === slug);
  if (!server) throw new ToolCallError('invalid_params', 'server: There is no such connected server.', true);
  return server.id;
}
