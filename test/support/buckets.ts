import crypto from 'node:crypto';
import { DeleteObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { startS3Server, type S3Server } from './s3-server.js';

export interface BucketServer extends S3Server {
  /** For SOURCE_HOSTS. */
  host: string;
  put(key: string, content: string): Promise<void>;
  remove(key: string): Promise<void>;
}

const { createCipheriv, createDecipheriv } = crypto;
const twice = (bytes: unknown) => Buffer.concat([bytes as Buffer, bytes as Buffer]);

/** s3rver seals the tokens of its pages with DES, which today's OpenSSL does not have. */
function mendDes(): void {
  Object.assign(crypto, {
    createCipheriv: (...[name, key, iv, options]: Parameters<typeof createCipheriv>) =>
      name === 'des' ? createCipheriv('aes-128-ctr', twice(key), twice(iv)) : createCipheriv(name, key, iv, options),
    createDecipheriv: (...[name, key, iv, options]: Parameters<typeof createDecipheriv>) =>
      name === 'des'
        ? createDecipheriv('aes-128-ctr', twice(key), twice(iv))
        : createDecipheriv(name, key, iv, options),
  });
}

/** A server that speaks S3, with one bucket to import from. */
export async function startBucket(): Promise<BucketServer> {
  mendDes();
  const server = await startS3Server('reports', { allowMismatchedSignatures: true });
  const { endpoint, bucket: Bucket, credentials } = server;
  const client = new S3Client({ endpoint, region: 'us-east-1', forcePathStyle: true, credentials });
  return {
    ...server,
    host: new URL(endpoint).host,
    put: async (Key, Body) => void (await client.send(new PutObjectCommand({ Bucket, Key, Body: Buffer.from(Body) }))),
    remove: async (Key) => void (await client.send(new DeleteObjectCommand({ Bucket, Key }))),
    async stop() {
      client.destroy();
      await server.stop();
    },
  };
}
