import { z } from 'zod';
import { defineSource } from '../source-definition.js';
import { S3Connector } from './s3-connector.js';

const config = z.strictObject({
  /** https; AWS itself when absent. */
  endpoint: z
    .url({ protocol: /^https?$/ })
    .max(500)
    .optional(),
  region: z
    .string()
    .regex(/^[a-z0-9-]{1,40}$/, 'Only lower-case letters, digits and hyphens.')
    .default('us-east-1'),
  bucket: z.string().regex(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/, 'This is no name of a bucket.'),
  prefix: z.string().max(900).default(''),
  access_key_id: z.string().min(1).max(128),
});

/** A bucket, or what lies below a prefix of it, of anything that speaks the S3 protocol. */
export const s3Source = defineSource({
  type: 's3',
  batchType: 'direct',
  config,
  secret: 'the secret access key',
  destinationOf: ({ endpoint, region, access_key_id }) => JSON.stringify([endpoint, region, access_key_id]),
  connect: (settings, secret, { guard }) =>
    new S3Connector(
      {
        endpoint: settings.endpoint ?? `https://s3.${settings.region}.amazonaws.com`,
        region: settings.region,
        bucket: settings.bucket,
        prefix: settings.prefix,
        accessKeyId: settings.access_key_id,
        secretAccessKey: secret,
      },
      guard,
    ),
});
