import { decompressRTF } from '@kenjiuno/decompressrtf';
import { parseOffice } from 'officeparser';
import { decodeLabelled } from '../decode-text.js';
import { htmlToText } from '../html/html-text.js';
import { normaliseText } from '../normalise.js';
import { renderNodes } from './office-nodes.js';

const MAX_RTF_BYTES = 8 * 1024 * 1024;

/** The words of a message, which Outlook keeps in several ways. */
export interface OutlookBody {
  plain?: string | undefined;
  html?: string | Uint8Array | undefined;
  /** In the compression of its own. */
  rtf?: Uint8Array | undefined;
  /** By its number, as Windows counts. */
  codePage?: number | undefined;
}

const NAMES: Readonly<Record<number, string>> = {
  65001: 'utf-8',
  932: 'shift_jis',
  936: 'gb18030',
  949: 'euc-kr',
  950: 'big5',
  20866: 'koi8-r',
};

/** Undefined for a code page that nobody can decode by name. */
export function labelOf(codePage: number | undefined): string | undefined {
  if (codePage === undefined) return undefined;
  return NAMES[codePage] ?? (codePage >= 1250 && codePage <= 1258 ? `windows-${codePage}` : undefined);
}

export function pageOf({ html = '', codePage }: OutlookBody): string {
  return typeof html === 'string' ? html : decodeLabelled(Buffer.from(html), labelOf(codePage));
}

/** Plain text, else the page, else RTF. */
export async function outlookText(body: OutlookBody): Promise<string> {
  const plain = normaliseText(body.plain ?? '');
  if (plain !== '') return plain;
  const html = pageOf(body);
  if (html.trim() !== '') return htmlToText(html);
  if (!body.rtf || body.rtf.length > MAX_RTF_BYTES) return '';
  const rtf = Buffer.from(decompressRTF([...body.rtf]));
  const { content } = await parseOffice(rtf, { fileType: 'rtf' });
  return renderNodes(content);
}
