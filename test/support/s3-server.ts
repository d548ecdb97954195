import { copyFile, mkdtemp, readdir, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import S3rver from '@20minutes/s3rver';

export interface S3Server {
  bucket: string;
  endpoint: string;
  credentials: { accessKeyId: string; secretAccessKey: string };
  /** As environment variables of the apps. */
  env: Record<string, string>;
  /** Of all objects, in order. */
  keys(): Promise<string[]>;
  /** More objects like the one of that key, past the protocol: for those who need many. */
  copyOnDisk(key: string, to: readonly string[]): Promise<void>;
  /** Nobody listens any more; open connections are cut. What was stored stays. */
  goDown(): Promise<void>;
  /** At the same address again. */
  comeBack(): Promise<void>;
  stop(): Promise<void>;
}

/** How the server keeps an object. */
const OBJECT_FILE = /^(.+)\._S3rver_object$/;
/** The same, what it says of it, and its sum. */
const partsOf = (folder: string, key: string) =>
  ['object', 'metadata.json', 'object.md5'].map((part) => join(folder, `${key}._S3rver_${part}`));

/**
 * A server of the S3 protocol that checks signatures, with one empty bucket. Those of lists it gets wrong: it forgets the
 * slash after the bucket. Whoever lists turns the check off; the access key is checked all the same.
 */
export async function startS3Server(
  bucket = 'atrium',
  options: { allowMismatchedSignatures?: boolean } = {},
): Promise<S3Server> {
  const directory = await mkdtemp(join(tmpdir(), 'atrium-s3-'));
  const listen = async (port: number) => {
    const server = new S3rver({
      address: '127.0.0.1',
      port,
      silent: true,
      directory,
      ...options,
      configureBuckets: [{ name: bucket }],
    });
    const { port: bound } = (await server.run()) as AddressInfo;
    return { server, port: bound };
  };
  let { server, port } = await listen(0);
  const goDown = async () => {
    server.httpServer.closeAllConnections();
    await server.close();
  };
  const endpoint = `http://127.0.0.1:${port}`;
  const keys = async () => {
    const names = await readdir(join(directory, bucket), { recursive: true });
    return names.flatMap((name) => OBJECT_FILE.exec(name)?.[1] ?? []).toSorted();
  };
  // The only account that this server knows.
  const credentials = { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' };
  return {
    bucket,
    endpoint,
    credentials,
    env: {
      STORAGE_PROVIDER: 's3',
      S3_ENDPOINT: endpoint,
      S3_BUCKET: bucket,
      S3_ACCESS_KEY_ID: credentials.accessKeyId,
      S3_SECRET_ACCESS_KEY: credentials.secretAccessKey,
      S3_FORCE_PATH_STYLE: 'true',
    },
    keys,
    async copyOnDisk(key, to) {
      const folder = join(directory, bucket);
      const from = partsOf(folder, key);
      await Promise.all(to.flatMap((name) => partsOf(folder, name).map((part, place) => copyFile(from[place]!, part))));
    },
    goDown,
    comeBack: async () => void ({ server, port } = await listen(port)),
    async stop() {
      await goDown().catch(() => undefined);
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/**
 * A server and a bucket that whoever runs the tests has given: `TEST_S3_URL=http://key:secret@host:port/bucket`.
 * The contract of the file storage is then tried there too.
 */
export function givenS3Server(): Pick<S3Server, 'bucket' | 'endpoint' | 'credentials'> | null {
  if (!process.env.TEST_S3_URL) return null;
  const { origin, username, password, pathname } = new URL(process.env.TEST_S3_URL);
  const credentials = { accessKeyId: decodeURIComponent(username), secretAccessKey: decodeURIComponent(password) };
  return { bucket: pathname.slice(1), endpoint: origin, credentials };
}
