import { promisify } from 'node:util';
import { deflateRaw, inflateRaw } from 'node:zlib';
import type { SealingService } from '@app/secrets';
import type { ModelContent, ToolContent } from './trace-content.js';

const pack = promisify(deflateRaw);
const unpack = promisify(inflateRaw);
const VERSION = 1;
const MAX_BYTES = 16 * 1024 * 1024;

const placeOf = (id: string) => ({ table: 'chat_trace_entries', column: 'content_sealed', row: id });

export async function sealContent(
  sealing: SealingService,
  id: string,
  content: ModelContent | ToolContent,
): Promise<Buffer> {
  const packed = await pack(JSON.stringify({ v: VERSION, content }), { level: 3 });
  return sealing.seal(packed, placeOf(id));
}

/** Null for what another release kept otherwise. @throws UnsealableError */
export async function openContent(
  sealing: SealingService,
  id: string,
  sealed: Buffer,
): Promise<ModelContent | ToolContent | null> {
  const text = await unpack(sealing.open(sealed, placeOf(id)), { maxOutputLength: MAX_BYTES });
  const { v, content } = JSON.parse(text.toString()) as { v: number; content: ModelContent | ToolContent };
  return v === VERSION ? content : null;
}
