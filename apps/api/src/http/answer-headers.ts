import type { CatalogedRoute } from './route-catalog.js';

const text = (description: string) => ({ description, schema: { type: 'string' } });
const whole = (description: string) => ({ description, schema: { type: 'integer', minimum: 0 } });

/** What answers carry beside the headers that every client of HTTP knows. */
export const ANSWER_HEADERS = {
  'X-Request-Id': text('Names the call in the logs: the one that was sent, or one of ours.'),
  RateLimit: text('What is left of the limit that was nearest, and for how many seconds: `"api";r=1199;t=42`.'),
  'RateLimit-Policy': text('That limit: `"api";q=1200;w=60` are 1200 calls in 60 seconds.'),
  'Retry-After': whole('After how many seconds to come again.'),
  'WWW-Authenticate': text('The scheme to sign in with, and what was wrong.'),
  'Idempotency-Replayed': {
    description: 'Only where the answer is that of an earlier call with the same key.',
    schema: { type: 'string', enum: ['true'] as string[] },
  },
  'X-Turn-Id': text('Names the turn: it can be followed, replayed and stopped by it.'),
  'X-Chat-Session-Id': text('The conversation that the turn belongs to.'),
  'X-Run-Version': text('The run that was started.'),
  'Set-Cookie': text('A cookie of the sign-in, for browsers: set, renewed or cleared.'),
  ETag: text('Names this state: with `If-None-Match` it is not sent again.'),
  'Accept-Ranges': text('`bytes`: parts can be asked for.'),
  'Content-Range': text('Which part this is, and of how many bytes.'),
  'Content-Disposition': text('`inline` or `attachment`, and the name of the file (RFC 6266).'),
  Location: text('Where to go, or where what was made is.'),
  'Mcp-Session-Id': text('To be sent with the calls that follow.'),
  'Tus-Resumable': text('Version of the protocol.'),
  'Tus-Version': text('Versions of the protocol.'),
  'Tus-Extension': text('Extensions of the protocol.'),
  'Tus-Max-Size': whole('The most bytes that an upload may have.'),
  'Upload-Offset': whole('Bytes that have arrived.'),
  'Upload-Length': whole('Bytes of the whole file.'),
  'Upload-Metadata': text('Names and base64 values, as they were sent.'),
  'Upload-Expires': text('When an upload that is not finished is given up.'),
  'X-Document-Uid': text('The document that the whole file has become.'),
} as const;

export type AnswerHeader = keyof typeof ANSWER_HEADERS;

/** Where sessions begin, are renewed and end. */
const SIGN_IN = /^\/(api\/v1\/(auth|token)\/|users\/passkeys\/login\/|users\/delete\/)/;

type Answers = Record<string, object | undefined>;

/** @returns the answers, each with the headers that it may carry */
export function withHeaders({ route, isPublic, path }: CatalogedRoute, answers: Answers): Answers {
  const isRepeatable = (route.startsSomething || route.framing) && !isPublic;
  const always: AnswerHeader[] = [
    'X-Request-Id',
    ...(route.rate === 'none' ? [] : (['RateLimit', 'RateLimit-Policy'] as const)),
  ];
  const ofSuccess: AnswerHeader[] = [
    ...(route.framing ? (['X-Turn-Id', 'X-Chat-Session-Id'] as const) : []),
    ...(isRepeatable ? (['Idempotency-Replayed'] as const) : []),
    ...(SIGN_IN.test(path) ? (['Set-Cookie'] as const) : []),
    ...(route.answersHeaders ?? []),
  ];
  return Object.fromEntries(
    Object.entries(answers).map(([status, answer]) => {
      const names = [
        ...always,
        // An error of a turn that was begun names it, too, and some errors are kept and told again.
        ...ofSuccess,
        ...(status === '401' || status === '403' ? (['WWW-Authenticate'] as const) : []),
        ...(status === '429' || status === '503' ? (['Retry-After'] as const) : []),
      ];
      const headers = Object.fromEntries(
        [...new Set(names)].map((name) => [name, { $ref: `#/components/headers/${name}` }]),
      );
      return [status, { ...answer, headers }];
    }),
  );
}
