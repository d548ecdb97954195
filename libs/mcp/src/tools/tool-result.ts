import { toJsonText } from '@app/common';
import { extension } from 'mime-types';
import { z } from 'zod';
import { TOO_DEEP } from '../client/faithful-numbers.js';
import { jsonWithoutSecrets } from '../client/json-without-secrets.js';
import { redact, withoutSecrets } from '../client/to-mcp-failure.js';

export interface ToolFile {
  name: string;
  mimeType: string;
  data: Buffer;
}

/** What a tool answered, bounded. All of it is the server's word: data, never instructions. */
export interface ToolResult {
  /** The blocks of the answer in the protocol's form, without binary data: a block names its file instead (`file`). */
  content: Record<string, unknown>[];
  /** For the model: the text of all blocks, at most 1 MB. */
  text: string;
  /** `structuredContent`; null when there is none, when it is too large, or when it is not what the tool promised. */
  structured: Record<string, unknown> | null;
  /** The tool says that it failed. */
  isError: boolean;
  /** Images, sounds and binary resources: at most 20, 4 MB together. */
  files: ToolFile[];
  /** Whether anything was left out. */
  truncated: boolean;
}

/** Agents keep what is too long to be shown, and read on in it. */
const MAX_TEXT = 1024 * 1024;
/** Of structured content. */
const MAX_STRUCTURE = 1024 * 1024;
const MAX_BLOCKS = 200;
const MAX_FILES = 20;
const MAX_FILE_BYTES = 4 * 1024 * 1024;
const MAX_NOTE = 2000;
/** Of base64; Node reads any text as some bytes. */
const BASE64 = /^[A-Za-z0-9+/_=\s-]*$/;

export const callResult = z.looseObject({
  content: z.array(z.unknown()).default([]),
  structuredContent: z.record(z.string(), z.unknown()).optional().catch(undefined),
  isError: z.boolean().optional().catch(undefined),
});

const resource = z.object({
  uri: z.string(),
  mimeType: z.string().optional().catch(undefined),
  text: z.string().optional(),
  blob: z.string().optional(),
});
const block = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text'), text: z.string() }),
  z.object({ type: z.literal('image'), data: z.string(), mimeType: z.string() }),
  z.object({ type: z.literal('audio'), data: z.string(), mimeType: z.string() }),
  z.object({
    type: z.literal('resource_link'),
    uri: z.string(),
    name: z.string().optional().catch(undefined),
    description: z.string().optional().catch(undefined),
    mimeType: z.string().optional().catch(undefined),
  }),
  z.object({ type: z.literal('resource'), resource }),
]);

/** Brings a tool's answer into bounds. @param secrets are taken out of every text */
export function toToolResult(raw: z.output<typeof callResult>, secrets: readonly string[]): ToolResult {
  const reader = new ResultReader(secrets);
  for (const item of raw.content) reader.take(item);
  return reader.finish(raw.structuredContent ?? null, raw.isError === true);
}

/** Whether it is what binary data is to be written in. */
export function isBase64(text: string): boolean {
  return BASE64.test(text);
}

/** An answer of our own, such as that the input is wrong. */
export function errorResult(text: string): ToolResult {
  return { content: [{ type: 'text', text }], text, structured: null, isError: true, files: [], truncated: false };
}

/** The text as it can be stored, cut at `maxBytes` of UTF-8. */
export function cutText(text: string, maxBytes: number): { text: string; isCut: boolean } {
  const clean = text
    .toWellFormed()
    .replaceAll('\0', '\ufffd')
    .replace(/[\u{e0000}-\u{e007f}]/gu, '');
  if (Buffer.byteLength(clean) <= maxBytes) return { text: clean, isCut: false };
  return {
    text: Buffer.from(clean)
      .subarray(0, maxBytes)
      .toString('utf8')
      .replace(/\ufffd+$/, ''),
    isCut: true,
  };
}

class ResultReader {
  private readonly content: Record<string, unknown>[] = [];
  private readonly texts: string[] = [];
  private readonly files: ToolFile[] = [];
  private room = MAX_TEXT;
  private fileRoom = MAX_FILE_BYTES;
  /** Of an unknown kind, or too many. */
  private unread = 0;
  private isTextCut = false;
  private isStructureCut = false;
  private isTooDeep = false;
  private isFileMissing = false;

  constructor(private readonly secrets: readonly string[]) {}

  take(item: unknown): void {
    const { success, data } = block.safeParse(item);
    if (!success || this.content.length >= MAX_BLOCKS) {
      this.unread += 1;
      return;
    }
    if (data.type === 'text') this.content.push({ type: 'text', text: this.say(data.text) });
    else if (data.type === 'image' || data.type === 'audio')
      this.content.push({ type: data.type, ...this.keep(data.type, data.data, data.mimeType) });
    else if (data.type === 'resource_link') this.content.push(this.link(data));
    else this.content.push({ type: 'resource', resource: this.embedded(data.resource) });
  }

  finish(structured: Record<string, unknown> | null, isError: boolean): ToolResult {
    const known = this.structuredWithin(structured);
    // Servers should repeat it as text, and many do not.
    if (known && !this.isSaid(known)) this.say(JSON.stringify(known));
    const missing = this.missing();
    const text = [...this.texts, ...missing].join('\n');
    const { content, files } = this;
    const truncated = missing.length > 0 || this.isFileMissing;
    return { content, text, structured: known, isError, files, truncated };
  }

  /** In words, but for files, which say so in their place. */
  private missing(): string[] {
    return [
      ...(this.isTextCut ? ['[The text of the answer is longer: only its first 1 MB is here.]'] : []),
      ...(this.isTooDeep ? ['[The structured part of the answer lacks what is nested too deep.]'] : []),
      ...(this.isStructureCut ? ['[The structured part of the answer is left out: it is larger than 1 MB.]'] : []),
      ...(this.unread > 0
        ? [`[Left out of the answer: ${this.unread} parts, of an unknown kind or beyond the first ${MAX_BLOCKS}.]`]
        : []),
    ];
  }

  /** Whether the texts have it already: as JSON, or in words of about its length. */
  private isSaid(structured: Record<string, unknown>): boolean {
    const said = this.texts.filter((text) => text.trim() !== '').join('\n');
    return said.length * 2 >= JSON.stringify(structured).length;
  }

  private structuredWithin(structured: Record<string, unknown> | null): Record<string, unknown> | null {
    if (!structured) return null;
    const text = toJsonText(jsonWithoutSecrets(structured, this.secrets));
    this.isTooDeep = text.includes(TOO_DEEP);
    if (Buffer.byteLength(text) <= MAX_STRUCTURE) return JSON.parse(text) as Record<string, unknown>;
    this.isStructureCut = true;
    return null;
  }

  private say(said: string): string {
    const { text, isCut } = cutText(withoutSecrets(said, this.secrets), this.room);
    this.room -= Buffer.byteLength(text);
    this.isTextCut ||= isCut;
    this.texts.push(text);
    return text;
  }

  private note(text: string): string {
    return redact(text, this.secrets).slice(0, MAX_NOTE);
  }

  private link({ uri, name = '', description = '', mimeType }: z.output<typeof block> & { type: 'resource_link' }) {
    const link = { uri: this.note(uri), name: this.note(name), description: this.note(description) };
    this.say(`[resource ${link.name} ${link.uri}${link.description ? `: ${link.description}` : ''}]`);
    return { type: 'resource_link', ...link, ...(mimeType ? { mimeType: this.note(mimeType) } : {}) };
  }

  private embedded({ uri, mimeType = '', text, blob }: z.output<typeof resource>): Record<string, unknown> {
    const place = { uri: this.note(uri) };
    if (blob !== undefined) return { ...place, ...this.keep('resource', blob, mimeType || 'application/octet-stream') };
    return { ...place, ...(mimeType ? { mimeType: this.note(mimeType) } : {}), text: this.say(text ?? '') };
  }

  private keep(kind: string, base64: string, given: string): Record<string, unknown> {
    const mimeType = /^[a-z0-9][\w.+-]{0,60}\/[a-z0-9][\w.+-]{0,100}$/i.test(given)
      ? given.toLowerCase()
      : 'application/octet-stream';
    if (!isBase64(base64)) {
      this.isFileMissing = true;
      this.say(`[${kind}, ${mimeType}, left out because it is not base64]`);
      return { mimeType, file: null };
    }
    const bytes = Math.floor((base64.length * 3) / 4);
    if (this.files.length >= MAX_FILES || bytes > this.fileRoom) {
      this.isFileMissing = true;
      this.say(`[${kind} of ${bytes} bytes, ${mimeType}, left out because it is too large]`);
      return { mimeType, file: null };
    }
    const data = Buffer.from(base64, 'base64');
    const name = `${kind}-${this.files.length + 1}.${extension(mimeType) || 'bin'}`;
    this.fileRoom -= data.length;
    this.files.push({ name, mimeType, data });
    this.say(`[${kind} ${name}, ${mimeType}, ${data.length} bytes]`);
    return { mimeType, file: name, bytes: data.length };
  }
}
