import { ExtractionError } from '../../extraction-error.js';
import type { EnclosedFile } from '../enclosed-file.js';
import { isDecoration, isPicture, type MailText, shownWithin } from '../mail-text.js';
import { outlookText, pageOf } from './outlook-body.js';
import type { PackedFile, PackedMessage } from './tnef.js';

/**
 * A package of Outlook as a message of its own, without headers: they are those of the message that it came with.
 * @param hasBody whether its own text is wanted, beside that of the messages that are attached to it
 */
export async function packedText(message: PackedMessage, hasBody: boolean): Promise<MailText> {
  const within: MailText[] = [];
  for (const { message: attached } of message.files) if (attached) within.push(await packedText(attached, true));
  const files = message.files.filter(({ message: attached }) => attached === null);
  const own = hasBody ? await textOf(message) : '';
  const bodies = [own ?? '', ...within.map(({ body }) => body)];
  return {
    headers: [],
    subject: '',
    body: bodies.filter((body) => body !== '').join('\n\n'),
    attachments: [...message.files.map(({ name }) => name), ...within.flatMap(({ attachments }) => attachments)],
    files: [
      ...filesOf(message, files),
      ...within.flatMap(({ files: attached }) => attached),
      ...(own === null ? [lost('Its text cannot be read.')] : []),
      ...(message.isCut ? [lost('It ends in the middle. What stands before is read.')] : []),
    ],
  };
}

/** Null for what cannot be read: the files beside it can. */
async function textOf({ body }: PackedMessage): Promise<string | null> {
  try {
    return await outlookText(body);
  } catch {
    return null;
  }
}

/** To be told with the attachments that were not read. */
const lost = (sentence: string): EnclosedFile => ({
  name: 'winmail.dat',
  mimeType: 'application/ms-tnef',
  bytes() {
    throw new ExtractionError('damaged', sentence);
  },
});

function filesOf({ body }: PackedMessage, files: readonly PackedFile[]): EnclosedFile[] {
  const shown = shownWithin(pageOf(body));
  return files.flatMap(({ name, mimeType, contentId, bytes }) => {
    const isShown = isPicture({ name, mimeType }) && shown.has(contentId);
    const file = { name, mimeType, isShown, bytes: () => bytes };
    return isDecoration(file, { hasId: contentId !== '', size: bytes.length }) ? [] : [file];
  });
}
