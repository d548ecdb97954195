import { createHash, createHmac, randomBytes, randomUUID } from 'node:crypto';
import { z } from 'zod';
import { defineKind, param, ToolError } from '@app/workflow-definition/kit';
import { categories } from '../categories.js';

const OPERATIONS = ['hash', 'hmac', 'encode', 'decode', 'uuid', 'random'] as const;
const ENCODINGS = ['hex', 'base64', 'base64url'] as const;

export const cryptoTool = defineKind({
  kind: 'crypto',
  version: '1.0.0',
  title: 'Hash and encode',
  description:
    'Makes a hash or a keyed hash (HMAC) of a text, encodes and decodes base64 or hexadecimal, and makes random ids.',
  category: categories.data,
  icon: 'fingerprint',
  sideEffects: 'none',
  timeoutSeconds: 10,
  params: z.object({
    operation: param(z.enum(OPERATIONS).default('hash'), {
      label: 'What to do',
      description: 'Hash, sign, encode, decode or draw by chance.',
      options: [
        { value: 'hash', label: 'Hash' },
        { value: 'hmac', label: 'Keyed hash (HMAC)' },
        { value: 'encode', label: 'Encode' },
        { value: 'decode', label: 'Decode' },
        { value: 'uuid', label: 'Random UUID' },
        { value: 'random', label: 'Random bytes' },
      ],
    }),
    text: param(z.string().max(4_000_000).default(''), {
      label: 'Text',
      description: 'What is hashed, signed, encoded or decoded.',
      type: 'text',
    }),
    algorithm: param(z.enum(['sha256', 'sha512', 'sha384', 'sha1', 'md5']).default('sha256'), {
      label: 'Algorithm',
      description: 'SHA-1 and MD5 only for old services: they protect nothing.',
      visibleWhen: { operation: ['hash', 'hmac'] },
    }),
    key: param(z.string().max(20_000).default(''), {
      label: 'Key',
      type: 'secret',
      description: 'Usually {{_secret.<name>}}.',
      visibleWhen: { operation: ['hmac'] },
    }),
    encoding: param(z.enum(ENCODINGS).default('hex'), { label: 'Encoding', description: 'How the result is written.' }),
    bytes: param(z.coerce.number().int().min(1).max(1_024).default(16), {
      label: 'Bytes',
      description: 'How many random bytes are drawn.',
      type: 'integer',
      visibleWhen: { operation: ['random'] },
    }),
  }),
  output: z.object({ value: z.string() }),
  examples: [{ operation: 'hmac', text: 'payload', key: '{{_secret.signing_key}}' }],
  checkNode: ({ operation, key }) =>
    operation === 'hmac' && (key === undefined || key === '') ? [{ path: 'key', message: 'Give a key.' }] : [],
  run: ({ operation, text, algorithm, key, encoding, bytes }) => {
    switch (operation) {
      case 'hash':
        return { output: { value: createHash(algorithm).update(text).digest(encoding) } };
      case 'hmac':
        return { output: { value: createHmac(algorithm, key).update(text).digest(encoding) } };
      case 'encode':
        return { output: { value: Buffer.from(text).toString(encoding) } };
      case 'decode':
        return { output: { value: decoded(text, encoding) } };
      case 'uuid':
        return { output: { value: randomUUID() } };
      case 'random':
        return { output: { value: randomBytes(bytes).toString(encoding) } };
    }
  },
});

const SPELLINGS = { hex: /^(?:[0-9a-f]{2})*$/i, base64: /^[\w+/-]*={0,2}$/, base64url: /^[\w+/-]*={0,2}$/ };

/** Node makes something of everything; a text that only looks like an answer is worse than none. @throws ToolError */
function decoded(text: string, encoding: keyof typeof SPELLINGS): string {
  const written = text.replaceAll(/\s/g, '');
  const isCut = encoding !== 'hex' && written.replace(/=+$/, '').length % 4 === 1;
  if (isCut || !SPELLINGS[encoding].test(written))
    throw new ToolError('invalid_text', `The text is not ${encoding}.`, false);
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.from(written, encoding));
  } catch (cause) {
    throw new ToolError('invalid_text', 'What the text stands for is no text in UTF-8.', false, { cause });
  }
}
