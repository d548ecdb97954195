import { toToolResult } from './tool-result.js';

describe('toToolResult', () => {
  it('keeps what it knows, and tells that something is missing', () => {
    const content = [{ type: 'hologram' }, 'nothing', { type: 'text', text: 'a\0\ud800b' }, { type: 'text' }];
    expect(toToolResult({ content }, [])).toMatchObject({
      content: [{ type: 'text', text: 'a\ufffd\ufffdb' }],
      text: 'a\ufffd\ufffdb\n[Left out of the answer: 3 parts, of an unknown kind or beyond the first 200.]',
      structured: null,
      isError: false,
      truncated: true,
    });
  });

  it('keeps twenty files of 4 MB together, named by their type', () => {
    const sound = { type: 'audio', data: Buffer.alloc(100).toString('base64'), mimeType: 'audio/wav' };
    const { files, truncated } = toToolResult({ content: Array.from({ length: 25 }, () => sound) }, []);
    expect([files.length, files[19]?.name, truncated]).toEqual([20, 'audio-20.wav', true]);
    const large = { type: 'image', data: Buffer.alloc(3_000_000).toString('base64'), mimeType: '../evil' };
    const two = toToolResult({ content: [large, large] }, []);
    expect(two.files.map(({ name, mimeType }) => [name, mimeType])).toEqual([
      ['image-1.bin', 'application/octet-stream'],
    ]);
    expect(two.text).toContain('left out because it is too large');
  });

  it('keeps no file of what is not base64, and says so', () => {
    const content = [{ type: 'image', data: 'https://one.example/a picture.png', mimeType: 'image/png' }];
    expect(toToolResult({ content }, [])).toMatchObject({
      content: [{ type: 'image', mimeType: 'image/png', file: null }],
      text: expect.stringContaining('[image, image/png, left out because it is not base64]') as string,
      files: [],
      truncated: true,
    });
  });

  it('says what of it is cut off', () => {
    const long = toToolResult({ content: [{ type: 'text', text: 'é'.repeat(700_000) }] }, []);
    expect(long.text.slice(-70)).toMatch(/é\n\[The text of the answer is longer: only its first 1 MB is here\.\]$/);
    const wide = toToolResult({ content: [], structuredContent: { a: 'x'.repeat(1_200_000) } }, []);
    expect([wide.text, wide.truncated]).toEqual([
      '[The structured part of the answer is left out: it is larger than 1 MB.]',
      true,
    ]);
  });

  it('says the structure as text when there is no text', () => {
    expect(toToolResult({ content: [], structuredContent: { a: 1 } }, []).text).toBe('{"a":1}');
  });

  it('repeats no secret, wherever it stands', () => {
    const content = [
      { type: 'text', text: 'My "key"\n' },
      { type: 'resource', resource: { uri: 'a://My "key"', text: 'My "key"' } },
      { type: 'resource_link', uri: 'My "key"', name: 'My "key"', description: 'My "key"' },
    ];
    const result = toToolResult({ content, structuredContent: { a: 'My "key"' } }, ['My "key"']);
    expect(JSON.stringify(result)).not.toMatch(/My \\+"key/);
  });

  it('repeats no secret of digits or of signs of JSON, and stays JSON', () => {
    const structuredContent = { id: 123456789, 'pin 4567': [true, null, 1.5], text: '4567' };
    expect(toToolResult({ content: [], structuredContent }, ['4567', 'true', '":[t']).structured).toEqual({
      id: '123***89',
      'pin ***': [true, null, 1.5],
      text: '***',
    });
  });
});
