import { InvalidRequestError, toJsonText } from '@app/common';
import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { listAll } from '../client/list-all.js';
import { McpFailure } from '../client/mcp-failure.js';
import type { McpSession } from '../client/mcp-session.js';
import { SessionPool } from '../client/session-pool.js';
import { jsonWithoutSecrets } from '../client/json-without-secrets.js';
import { withoutSecrets } from '../client/to-mcp-failure.js';
import { toDomainError } from './mcp-tools.js';
import { cutText, isBase64 } from '../tools/tool-result.js';
import { type StoredServer, StoredServers } from '../servers/stored-server.js';

/** Something to read at a server, or a pattern of such things. */
export interface ServerResource {
  /** With placeholders as of RFC 6570 for a template. */
  uri: string;
  isTemplate: boolean;
  name: string;
  title: string;
  description: string;
  mimeType: string | null;
  sizeBytes: number | null;
}

export interface ResourcePart {
  uri: string;
  mimeType: string | null;
  /** Null for what is binary. */
  text: string | null;
  /** Base64; null for text. */
  data: string | null;
  isCut: boolean;
}

export interface ServerPrompt {
  name: string;
  title: string;
  description: string;
  arguments: { name: string; description: string; required: boolean }[];
}

export interface FilledPrompt {
  description: string;
  messages: { role: 'user' | 'assistant'; content: Record<string, unknown> }[];
}

const MAX_LISTED = 500;
const MAX_PARTS = 100;
const MAX_MESSAGES = 200;
const MAX_TEXT = 1024 * 1024;
const MAX_DATA = 4 * 1024 * 1024;
const TOO_LARGE = { type: 'text', text: '[left out: larger than 4 MB]' };
const REQUEST_MS = 20_000;

const text = (max: number) =>
  z
    .string()
    .transform((value) => cutText(value, max).text)
    .catch('');
const described = { name: text(500), title: text(500), description: text(8000) };
const mimeType = text(200).transform((value) => value || null);
const resource = z.object({
  ...described,
  uri: z.string().min(1).max(4000),
  mimeType,
  size: z.number().int().nullable().catch(null),
});
const template = z.object({ ...described, uriTemplate: z.string().min(1).max(4000), mimeType });
const prompt = z.object({
  ...described,
  arguments: z
    .array(z.object({ name: text(200), description: text(2000), required: z.boolean().catch(false) }))
    .max(100)
    .catch([]),
});
const part = z.object({ uri: text(4000), mimeType, text: z.string().optional(), blob: z.string().optional() });
const read = z.looseObject({ contents: z.array(z.unknown()) });
const message = z.object({ role: z.enum(['user', 'assistant']), content: z.record(z.string(), z.unknown()) });
const filled = z.looseObject({ description: text(8000), messages: z.array(z.unknown()) });

/** The resources and prompts that a server offers, fetched from it each time. All of it is the server's word. */
@Injectable()
export class ServerContents {
  constructor(
    private readonly servers: StoredServers,
    private readonly pool: SessionPool,
  ) {}

  /** Resources, then templates; at most 500 of each. @throws NotFoundError, BadGatewayError, GatewayTimeoutError */
  async resources(userId: number, id: number, signal: AbortSignal): Promise<ServerResource[]> {
    return this.within(userId, id, signal, async (session, limits) => {
      if (!session.capabilities.resources) return [];
      const asked = { method: 'resources/list', list: 'resources', max: MAX_LISTED };
      const listed = await listAll(session, asked, limits);
      const templates = await listAll(
        session,
        { method: 'resources/templates/list', list: 'resourceTemplates', max: MAX_LISTED },
        limits,
      ).catch((error: unknown) => {
        // Servers without templates need not know the question.
        if (error instanceof McpFailure && error.kind === 'rpc') return { items: [] };
        throw error;
      });
      return [
        ...fitting(resource, listed.items).map(({ size, ...one }) => ({ ...one, isTemplate: false, sizeBytes: size })),
        ...fitting(template, templates.items).map(({ uriTemplate, ...one }) => ({
          ...one,
          uri: uriTemplate,
          isTemplate: true,
          sizeBytes: null,
        })),
      ];
    });
  }

  /** @throws as `resources`; InvalidRequestError (`mcp_request_refused`) when the server does not give it */
  async read(userId: number, id: number, uri: string, signal: AbortSignal): Promise<ResourcePart[]> {
    return this.within(userId, id, signal, async (session, limits, server) => {
      const { contents } = await session.request({ method: 'resources/read', params: { uri } }, read, limits);
      let room = MAX_TEXT;
      let dataRoom = MAX_DATA;
      return fitting(part, contents.slice(0, MAX_PARTS)).map(({ blob, text: given, ...about }) => {
        if (blob !== undefined) {
          const fits = isBase64(blob) && blob.length <= dataRoom;
          if (fits) dataRoom -= blob.length;
          return { ...about, text: null, data: fits ? blob : null, isCut: !fits };
        }
        const cut = cutText(withoutSecrets(given ?? '', secretsOf(server)), room);
        room -= Buffer.byteLength(cut.text);
        return { ...about, text: cut.text, data: null, isCut: cut.isCut };
      });
    });
  }

  /** At most 500. @throws as `resources` */
  async prompts(userId: number, id: number, signal: AbortSignal): Promise<ServerPrompt[]> {
    return this.within(userId, id, signal, async (session, limits) => {
      if (!session.capabilities.prompts) return [];
      const { items } = await listAll(session, { method: 'prompts/list', list: 'prompts', max: MAX_LISTED }, limits);
      return fitting(prompt, items);
    });
  }

  /** @throws as `read` */
  async fill(
    userId: number,
    id: number,
    { name, values }: { name: string; values: Record<string, string> },
    signal: AbortSignal,
  ): Promise<FilledPrompt> {
    return this.within(userId, id, signal, async (session, limits, server) => {
      const params = { name, arguments: values };
      const { description, messages } = await session.request({ method: 'prompts/get', params }, filled, limits);
      const told = fitting(message, messages.slice(0, MAX_MESSAGES)).map(({ role, content }) => {
        const clean = toJsonText(jsonWithoutSecrets(content, secretsOf(server)));
        return {
          role,
          content: Buffer.byteLength(clean) <= MAX_DATA ? (JSON.parse(clean) as typeof content) : TOO_LARGE,
        };
      });
      return { description, messages: told };
    });
  }

  private async within<T>(
    userId: number,
    id: number,
    signal: AbortSignal,
    work: (session: McpSession, limits: { signal: AbortSignal; timeoutMs: number }, server: StoredServer) => Promise<T>,
  ): Promise<T> {
    try {
      const server = await this.servers.get(userId, id);
      const limits = { signal, timeoutMs: REQUEST_MS };
      return await this.pool.use(server, signal, (session) => work(session, limits, server));
    } catch (error) {
      if (!(error instanceof McpFailure)) throw error;
      if (error.kind === 'rpc')
        throw new InvalidRequestError(error.message, { code: 'mcp_request_refused', cause: error });
      throw toDomainError(error);
    }
  }
}

/** What is malformed is left out. */
function fitting<T extends z.ZodType>(schema: T, items: readonly unknown[]): z.output<T>[] {
  return items.flatMap((item) => {
    const parsed = schema.safeParse(item);
    return parsed.success ? [parsed.data] : [];
  });
}

function secretsOf({ secret }: StoredServer): string[] {
  return secret === null ? [] : [secret];
}
