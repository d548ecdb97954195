import { S3Client } from '@aws-sdk/client-s3';

export interface S3ClientOptions {
  /** That of AWS when absent. */
  endpoint?: string;
  region: string;
  /** What the machine or container was given when absent. */
  credentials?: { accessKeyId: string; secretAccessKey: string };
  forcePathStyle: boolean;
  /** Milliseconds in which an answer has to begin, and in which a transfer may stand still. 60 s when absent. */
  timeoutMs?: number;
}

const MAX_SOCKETS = 256;

/** Never waits without end, tries three times, follows no redirect. */
export function createS3Client({ timeoutMs = 60_000, ...options }: S3ClientOptions): S3Client {
  return new S3Client({
    ...options,
    maxAttempts: 3,
    followRegionRedirects: false,
    // The newer checksums travel in trailers that many services other than AWS do not understand.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: {
      connectionTimeout: Math.min(timeoutMs, 5000),
      requestTimeout: timeoutMs,
      throwOnRequestTimeout: true,
      socketTimeout: timeoutMs,
      // A download holds its socket for as long as its reader takes.
      httpAgent: { keepAlive: true, maxSockets: MAX_SOCKETS },
      httpsAgent: { keepAlive: true, maxSockets: MAX_SOCKETS },
    },
  });
}
