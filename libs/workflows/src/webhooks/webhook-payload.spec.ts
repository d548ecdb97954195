import { InvalidRequestError } from '@app/common';
import { fileUrlsOf, MAX_PAYLOAD_BYTES, readPayload } from './webhook-payload.js';

/** A payload of so many bytes. */
const fill = (bytes: number) => ({ text: 'x'.repeat(bytes - '{"text":""}'.length) });

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
