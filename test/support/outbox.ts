import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import PostalMime from 'postal-mime';
import type { TestApi } from './api.js';
import { until } from './until.js';

export interface SentMail {
  to: string;
  subject: string;
  text: string;
  html: string;
}

/** The mails in a test api's outbox folder, oldest first. */
export function mailsOf({ config }: Pick<TestApi, 'config'>): Promise<SentMail[]> {
  return mailsIn(config.mail.outboxFolder);
}

export async function mailsIn(folder: string): Promise<SentMail[]> {
  const names = await readdir(folder).catch(() => []);
  const files = names.filter((name) => name.endsWith('.eml')).toSorted();
  return Promise.all(files.map(async (name) => parse(await readFile(join(folder, name)))));
}

/** Waits until that many mails have gone to the address. @returns them, oldest first */
export async function mailsTo(api: Pick<TestApi, 'config'>, address: string, count = 1): Promise<SentMail[]> {
  let found: SentMail[] = [];
  await until(async () => {
    found = (await mailsOf(api)).filter(({ to }) => to === address);
    return found.length >= count;
  });
  return found;
}

/** The six digits of the latest of that many mails to the address. */
export async function codeMailedTo(api: Pick<TestApi, 'config'>, address: string, count = 1): Promise<string> {
  const codes = (await mailsTo(api, address, count)).flatMap(({ text }) => /\b\d{6}\b/.exec(text) ?? []);
  return codes.at(-1) ?? '';
}

/** Waits until that many text messages have gone to the number. @returns their texts, oldest first */
export async function textsTo({ config }: Pick<TestApi, 'config'>, phone: string, count = 1): Promise<string[]> {
  let found: string[] = [];
  await until(async () => {
    const names = await readdir(config.mail.outboxFolder).catch(() => []);
    const files = names.filter((name) => name.endsWith('.txt')).toSorted();
    const texts = await Promise.all(files.map((name) => readFile(join(config.mail.outboxFolder, name), 'utf8')));
    found = texts.filter((text) => text.startsWith(`To: +${phone}\n`));
    return found.length >= count;
  });
  return found;
}

async function parse(bytes: Buffer): Promise<SentMail> {
  const mail = await PostalMime.parse(bytes);
  return {
    to: mail.to?.[0]?.address ?? '',
    subject: mail.subject ?? '',
    text: (mail.text ?? '').trim(),
    html: mail.html ?? '',
  };
}
