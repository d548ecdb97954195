import { readFile, stat } from 'node:fs/promises';
import { decompressRTF } from '@kenjiuno/decompressrtf';
import msgReader from '@kenjiuno/msgreader';
import type { FieldsData } from '@kenjiuno/msgreader';
import { parseOffice } from 'officeparser';
import { ExtractionError } from '../../extraction-error.js';
import { checkCompoundFile } from '../compound-file.js';
import { decodeLabelled } from '../decode-text.js';
import { htmlToText } from '../html/html-text.js';
import { emitMail, peopleLine } from '../mail-text.js';
import { normaliseText } from '../normalise.js';
import type { Parser } from '../parser.js';
import { renderNodes } from './office-nodes.js';

const MAX_BYTES = 50 * 1024 * 1024;
const MAX_RTF_BYTES = 8 * 1024 * 1024;
// The package is CommonJS: what it calls its default is a property, but for loaders that have unwrapped it.
const MsgReader =
  'default' in msgReader ? msgReader.default : (msgReader as never as typeof import('@kenjiuno/msgreader').default);

/** A message of Outlook: who, to whom, when and about what, its text, the names of what is attached (which is not read). */
export const parseOutlookMessage: Parser = async (request, sink) => {
  const { size } = await stat(request.path);
  if (size > MAX_BYTES) throw new ExtractionError('too_large', 'E-mails of more than 50 MB cannot be read.');
  const bytes = await readFile(request.path);
  const message = readMessage(bytes);
  const sent = message.messageDeliveryTime ?? message.clientSubmitTime ?? message.creationTime ?? '';
  await emitMail(
    {
      headers: [
        ['From', peopleLine([{ name: message.senderName, address: message.senderSmtpAddress ?? message.senderEmail }])],
        ['To', peopleLine(recipients(message, 'to'))],
        ['Cc', peopleLine(recipients(message, 'cc'))],
        ['Bcc', peopleLine(recipients(message, 'bcc'))],
        ['Date', sent],
        ['Subject', message.subject ?? ''],
        ['Location', message.apptLocation ?? ''],
        ['Start', message.apptStartWhole ?? ''],
        ['End', message.apptEndWhole ?? ''],
      ],
      subject: message.subject ?? '',
      body: await bodyText(message),
      attachments: (message.attachments ?? []).map(
        ({ fileName, fileNameShort, name }) => fileName ?? name ?? fileNameShort ?? '',
      ),
    },
    sink,
  );
};

/** @throws ExtractionError `damaged` */
function readMessage(bytes: Buffer): FieldsData {
  checkCompoundFile(bytes);
  try {
    const message = new MsgReader(
      bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) as never,
    ).getFileData();
    if (message.error === undefined) return message;
    throw new Error(String(message.error));
  } catch (error) {
    throw new ExtractionError('damaged', 'The file is no readable Outlook message.', { cause: error });
  }
}

function recipients(message: FieldsData, type: string): { name: string | undefined; address: string | undefined }[] {
  return (message.recipients ?? [])
    .filter(({ recipType }) => (recipType ?? 'to') === type)
    .map(({ name, smtpAddress, email }) => ({ name, address: smtpAddress ?? email }));
}

/** Plain text, else the page, else RTF: Outlook keeps the same words in several. */
async function bodyText(message: FieldsData): Promise<string> {
  const plain = normaliseText(message.body ?? '');
  if (plain !== '') return plain;
  const html = message.bodyHtml ?? (message.html ? decodeLabelled(Buffer.from(message.html), pageLabel(message)) : '');
  if (html.trim() !== '') return htmlToText(html);
  if (!message.compressedRtf || message.compressedRtf.length > MAX_RTF_BYTES) return '';
  const rtf = Buffer.from(decompressRTF([...message.compressedRtf]));
  const { content } = await parseOffice(rtf, { fileType: 'rtf' });
  return renderNodes(content);
}

function pageLabel({ internetCodepage }: FieldsData): string | undefined {
  if (internetCodepage === undefined) return undefined;
  const names: Record<number, string> = {
    65001: 'utf-8',
    932: 'shift_jis',
    936: 'gb18030',
    949: 'euc-kr',
    950: 'big5',
    20866: 'koi8-r',
  };
  return (
    names[internetCodepage] ??
    (internetCodepage >= 1250 && internetCodepage <= 1258 ? `windows-${internetCodepage}` : undefined)
  );
}
