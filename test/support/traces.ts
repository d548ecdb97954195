import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import type { DataSource } from 'typeorm';

/** Everything that a deployment keeps: where somebody's name, or a secret, may still stand. */
export interface KeptThings {
  dataSource: DataSource;
  redis: { url: string; keyPrefix: string };
  folders: string[];
}

/**
 * Where any of the words still stands: rows of tables (bytes as they are), Redis keys and values, names and contents of
 * files. Case does not matter; words in base64 are found too.
 */
export async function findTraces(kept: KeptThings, words: readonly string[]): Promise<string[]> {
  const needles = words.flatMap((word) => [word.toLowerCase(), unpadded(word).toLowerCase()]);
  const has = (text: string) => {
    const lower = text.toLowerCase();
    return needles.some((needle) => lower.includes(needle));
  };
  const [rows, keys, files] = await Promise.all([
    tracesInTables(kept.dataSource, has),
    tracesInRedis(kept.redis, has),
    Promise.all(kept.folders.map((folder) => tracesInFolder(folder, has))),
  ]);
  return [...rows, ...keys, ...files.flat()];
}

/** The middle of its base64, which is the same wherever the word begins a text of three-byte groups. */
function unpadded(word: string): string {
  const bytes = Buffer.from(word);
  return bytes.subarray(0, bytes.length - (bytes.length % 3)).toString('base64');
}

async function tracesInTables(dataSource: DataSource, has: (text: string) => boolean): Promise<string[]> {
  const tables = await dataSource.query<{ name: string }[]>(
    `SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public' AND table_type = 'BASE TABLE'`,
  );
  // In one question: there are more tables than rows.
  const rows = await dataSource.query<{ name: string; text: string }[]>(
    tables.map(({ name }) => `SELECT '${name}' AS name, t::text AS text FROM ${name} t`).join(' UNION ALL '),
  );
  return rows.filter(({ text }) => has(text + bytesIn(text))).map(({ name, text }) => `${name}: ${text.slice(0, 300)}`);
}

/** The columns of type bytea, which a row shows in hexadecimal. */
function bytesIn(text: string): string {
  return [...text.matchAll(/\\\\x([0-9a-f]+)/g)]
    .map(([, hex]) => Buffer.from(hex!, 'hex').toString('latin1'))
    .join('\n');
}

async function tracesInRedis(
  { url, keyPrefix }: KeptThings['redis'],
  has: (text: string) => boolean,
): Promise<string[]> {
  const redis = new Redis(url);
  const found: string[] = [];
  try {
    for await (const keys of redis.scanStream({ match: `${keyPrefix}*`, count: 500 }) as AsyncIterable<string[]>)
      for (const key of keys) if (has(`${key}\n${await valueOf(redis, key)}`)) found.push(`redis: ${key}`);
  } finally {
    redis.disconnect();
  }
  return found;
}

async function valueOf(redis: Redis, key: string): Promise<string> {
  switch (await redis.type(key)) {
    case 'string':
      return (await redis.get(key)) ?? '';
    case 'hash':
      return JSON.stringify(await redis.hgetall(key));
    case 'list':
      return JSON.stringify(await redis.lrange(key, 0, -1));
    case 'set':
      return JSON.stringify(await redis.smembers(key));
    case 'zset':
      return JSON.stringify(await redis.zrange(key, 0, -1));
    case 'stream':
      return JSON.stringify(await redis.xrange(key, '-', '+'));
    default:
      return '';
  }
}

async function tracesInFolder(folder: string, has: (text: string) => boolean): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const found: string[] = [];
  for (const entry of entries) {
    const path = join(entry.parentPath, entry.name);
    // A file that goes in this moment leaves no trace.
    const content = entry.isFile() ? await readFile(path, 'latin1').catch(() => null) : '';
    if (content === null) continue;
    if (has(`${path}\n${content}`)) found.push(path);
  }
  return found;
}
