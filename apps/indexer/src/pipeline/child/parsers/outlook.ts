import { readFile, stat } from 'node:fs/promises';
import msgReader from '@kenjiuno/msgreader';
import type { FieldsData } from '@kenjiuno/msgreader';
import { ExtractionError } from '../../extraction-error.js';
import { checkCompoundFile } from '../compound-file.js';
import type { EnclosedFile } from '../enclosed-file.js';
import { emitMail, isDecoration, isPicture, peopleLine, shownWithin } from '../mail-text.js';
import type { Parser } from '../parser.js';
import { withoutSignature } from './signed-content.js';
import { type OutlookBody, outlookText, pageOf } from './outlook-body.js';

const MAX_BYTES = 50 * 1024 * 1024;
// The package is CommonJS: what it calls its default is a property, but for loaders that have unwrapped it.
const MsgReader =
  'default' in msgReader ? msgReader.default : (msgReader as never as typeof import('@kenjiuno/msgreader').default);

type Reader = InstanceType<typeof MsgReader>;

/** A message of Outlook: who, to whom, when and about what, its text, the names of what is attached; then that. */
export const parseOutlookMessage: Parser = async (request, sink) => {
  const { size } = await stat(request.path);
  if (size > MAX_BYTES) throw new ExtractionError('too_large', 'E-mails of more than 50 MB cannot be read.');
  const bytes = await readFile(request.path);
  const { message, reader } = readMessage(bytes);
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
      body: await outlookText(bodyOf(message)),
      attachments: (message.attachments ?? []).map(nameOf),
      files: filesOf(message, reader),
    },
    sink,
  );
};

function nameOf({ fileName, fileNameShort, name }: FieldsData): string {
  return fileName ?? name ?? fileNameShort ?? '';
}

function filesOf(message: FieldsData, reader: Reader): EnclosedFile[] {
  const shown = shownWithin(pageOf(bodyOf(message)));
  return (message.attachments ?? []).flatMap((attached) => {
    const { innerMsgContent = false, pidContentId: id, attachmentHidden = false, contentLength: size = 0 } = attached;
    // A message that is attached is named by its subject.
    const name = innerMsgContent ? `${nameOf(attached)}.msg` : nameOf(attached);
    const mimeType = (attached.attachMimeTag ?? '').toLowerCase();
    const isWithin = attachmentHidden || (id !== undefined && shown.has(id));
    const isShown = isPicture({ name, mimeType }) && isWithin;
    const file = { name, mimeType, isShown, bytes: () => bytesOf(attached, reader) };
    return isDecoration(file, { hasId: id !== undefined, size }) ? [] : [withoutSignature(file)];
  });
}

/** @throws ExtractionError `unsupported` */
function bytesOf(attached: FieldsData, reader: Reader): Uint8Array {
  // Files in a cloud, and those that a sender linked to.
  if (attached.dataId === undefined && attached.innerMsgContent === undefined)
    throw new ExtractionError('unsupported', 'The message refers to this file, but does not hold it.');
  return reader.getAttachment(attached).content;
}

/** @throws ExtractionError `damaged` */
function readMessage(bytes: Buffer): { message: FieldsData; reader: Reader } {
  checkCompoundFile(bytes);
  try {
    const reader = new MsgReader(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) as never);
    const message = reader.getFileData();
    if (message.error === undefined) return { message, reader };
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

const bodyOf = ({ body, bodyHtml, html, compressedRtf, internetCodepage }: FieldsData): OutlookBody => ({
  plain: body,
  html: bodyHtml ?? html,
  rtf: compressedRtf,
  codePage: internetCodepage,
});
