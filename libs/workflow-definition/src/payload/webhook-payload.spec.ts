import { InvalidRequestError } from '@app/common';
import { fileUrlsOf, MAX_PAYLOAD_BYTES, readCallPayload, readPayload } from './webhook-payload.js';

/** A payload of so many bytes. */
const fill = (bytes: number) => ({ text: 'x'.repeat(bytes - '{"text":""}'.length) });

const parse = (payload: unknown, headers = {}) =>
  JSON.parse(readCallPayload(payload, { headers }).text ?? 'null') as unknown;

describe('readPayload', () => {
  it('removes references to files at any depth and keeps the rest', () => {
    const payload = {
      file_path: '/media/x',
      file_uids: ['1'],
      file_urls: ['https://a.example/x.pdf'],
      order: { id: 7, items: [{ fileId: 'x', document_uid: 'y', name: 'kept' }], profile_id: 3 },
    };
    expect(readPayload(payload)).toEqual({
      file_urls: ['https://a.example/x.pdf'],
      order: { id: 7, items: [{ name: 'kept' }], profile_id: 3 },
    });
    expect(fileUrlsOf(readPayload(payload))).toEqual(['https://a.example/x.pdf']);
  });

  it('takes 65536 bytes and not one more', () => {
    expect(readPayload(fill(MAX_PAYLOAD_BYTES))).toEqual(fill(MAX_PAYLOAD_BYTES));
    expect(() => readPayload(fill(MAX_PAYLOAD_BYTES + 1))).toThrow(InvalidRequestError);
  });

  it('refuses what is no object, and nesting that would exhaust the stack', () => {
    expect(readPayload(undefined)).toBeNull();
    for (const wrong of [[], 'x', 1, true]) expect(() => readPayload(wrong)).toThrow('must be a JSON object');
    const deep = JSON.parse(`${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`) as unknown;
    expect(() => readPayload(deep)).toThrow('nested');
  });
});

describe('readCallPayload', () => {
  it('writes the payload as it came, without references and without what only we may say', () => {
    expect(parse({ n: 1 })).toEqual({ n: 1 });
    expect(parse({ n: 1, a: [{ file_id: 1, b: 2 }], _request: { files: ['forged'] } })).toEqual({
      n: 1,
      a: [{ b: 2 }],
    });
    expect(parse({ n: 1 }, { 'x-event': 'a' })).toEqual({ n: 1, _request: { headers: { 'x-event': 'a' } } });
    expect(parse(null, { 'x-event': 'a' })).toEqual({ _request: { headers: { 'x-event': 'a' } } });
    expect(readCallPayload(undefined)).toEqual({ text: null, fileUrls: [] });
    expect(parse(JSON.parse('{"__proto__":{"file_id":1,"x":1}}'))).toEqual(JSON.parse('{"__proto__":{"x":1}}'));
  });

  it('counts bytes, not characters', () => {
    expect(parse({ text: 'ü'.repeat(32_000) })).toBeTruthy();
    expect(() => readCallPayload({ text: 'ü'.repeat(33_000) })).toThrow('65536');
    expect(readCallPayload(fill(MAX_PAYLOAD_BYTES)).text).toHaveLength(MAX_PAYLOAD_BYTES);
    expect(() => readCallPayload(fill(MAX_PAYLOAD_BYTES + 1))).toThrow(InvalidRequestError);
  });
});

describe('what callers cannot write', () => {
  const system = ['_request', '_schedule', '_item', '_index', '_webhook_payload', '_output', '_secret'];
  const references = [
    'file',
    'files',
    'path',
    'paths',
    'File',
    'file-path',
    'file_path',
    'filePath',
    'file.path',
    'file path',
    'media-uid',
    'attached-files',
    'attached_file',
    'document-uids',
    '_file',
    '_path',
  ];
  const kept = [
    'file_urls',
    'profile',
    'filename',
    'file_name',
    'pathology',
    'xpath',
    '_id',
    '_links',
    'request',
    'schedule',
    'item',
  ];

  it('are the keys of the platform, whoever calls, and references to files for those without a session', () => {
    const whole = Object.fromEntries([...system, ...references, ...kept].map((key) => [key, 'x']));
    const deep = { list: [{ ...whole }], inner: whole };
    const outside = parse({ ...whole, deep }) as Record<string, Record<string, unknown>>;
    expect(Object.keys(outside)).toEqual([...kept, 'deep']);
    // Deeper down they say nothing to the platform, but a file is named as well as on top.
    expect(Object.keys(outside.deep!.inner as object)).toEqual([...system, ...kept]);
    expect(Object.keys((outside.deep!.list as object[])[0]!)).toEqual([...system, ...kept]);
    expect(Object.keys(readPayload(whole, { keepFileReferences: true })!)).toEqual([...references, ...kept]);
    expect(Object.keys(readPayload(whole)!)).toEqual(kept);
    const clean = { a: 1 };
    expect(readPayload(clean)).toBe(clean);
  });

  it('leave room for what is known of the call, within the same limit', () => {
    const uploads = [{ field: 'f', text: 'x'.repeat(40_000) }];
    expect(
      JSON.parse(readCallPayload({ a: 1, _request: { query: { forged: '1' } } }, { query: { a: 'b' }, uploads }).text!),
    ).toEqual({
      a: 1,
      _request: { query: { a: 'b' }, uploads },
    });
    expect(() => readCallPayload(fill(30_000), { uploads })).toThrow('65536');
  });
});
