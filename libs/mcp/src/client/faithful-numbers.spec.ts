import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { FaithfulNumbers, TOO_DEEP } from './faithful-numbers.js';

/** In pieces of every size, since streams break where they like. */
async function passed(content: string, isEvents: boolean): Promise<string[]> {
  const bytes = Buffer.from(content);
  const results = [1, 2, 3, 7, bytes.length].map((size) => {
    const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
      bytes.subarray(at * size, (at + 1) * size),
    );
    return text(Readable.from(pieces).pipe(new FaithfulNumbers(isEvents)));
  });
  return [...new Set(await Promise.all(results))];
}

const event = (n: string) => `id: 9007199254740993\nevent: message\r\ndata: {"a":${n},"b":"x"}\ndata:${n}\n\n`;

describe('numbers of a server', () => {
  it.each([
    [
      '{"id":9007199254740993,"n":[1,-2.5e3,0.1],"t":"9007199254740993 \\" 1e400"}',
      '{"id":"9007199254740993","n":[1,-2.5e3,0.1],"t":"9007199254740993 \\" 1e400"}',
    ],
    ['[1e400,-1e400,true,false,null,1e-400]', '["1e400","-1e400",true,false,null,"1e-400"]'],
    ['123456789012345678901', '"123456789012345678901"'],
    ['{"é":"\\\\","a":12345678901234567891}', '{"é":"\\\\","a":"12345678901234567891"}'],
    ['{"a": 9007199254740991 , "b": 1.0000000000000000001}', '{"a": 9007199254740991 , "b": 1.0000000000000000001}'],
  ])('of %s are kept', async (given, expected) => {
    expect(await passed(given, false)).toEqual([expected]);
  });

  it('are not looked for in an address, which the older transport begins with', async () => {
    const address = 'event: endpoint\r\ndata: /messages?id=1e4-0000-4e999-9007199254740993\r\n\r\n';
    expect(await passed(`${address}${event('1e400')}`, true)).toEqual([`${address}${event('"1e400"')}`]);
    expect(await passed(`${event('1e400')}${address}`, true)).toEqual([`${event('"1e400"')}${address}`]);
  });

  it('are kept in events, whose ids are texts anyway', async () => {
    expect(await passed(event('9007199254740993'), true)).toEqual([
      event('"9007199254740993"').replace('id: "', 'id: '),
    ]);
  });

  it.each([
    ['', ''],
    ['data: ', '\n\n'],
  ])(
    'are as they were where something beside them is nested too deep to be walked through (%j)',
    async (before, after) => {
      const nested = (depth: number, inner: string) =>
        `${before}{"a":${'['.repeat(depth)}${inner}${']'.repeat(depth)},"b":[1e400]}${after}`;
      const isEvents = before !== '';
      const deep = (inner: string) => nested(500, inner).replace(',"b":[1e400]', ',"b":["1e400"]');
      expect(await passed(nested(499, '"[[["'), isEvents)).toEqual([nested(499, '"[[["').replace('1e400', '"1e400"')]);
      for (const inner of ['1,{"x":"]}\\""},[[1e400]]', '['.repeat(60_000) + ']'.repeat(60_000)])
        expect(await passed(nested(500, inner) + nested(500, '7'), isEvents)).toEqual([
          deep('').replaceAll(/\[\]/g, `"${TOO_DEEP}"`).repeat(2),
        ]);
    },
  );
});
