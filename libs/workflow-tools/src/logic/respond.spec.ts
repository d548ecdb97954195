import { errorOf, run } from '../testing/tool-harness.spec-support.js';

/** The headers that the caller gets. */
async function headersOf(headers: Record<string, string>): Promise<Record<string, string>> {
  const answers: Record<string, string>[] = [];
  const callers = {
    answer: (answer: { headers: Record<string, string> }) => {
      answers.push(answer.headers);
      return Promise.resolve(true);
    },
  };
  expect(await run('respond', { body: 'x', headers }, { callers } as never)).toMatchObject({ output: { sent: true } });
  return answers[0]!;
}

describe('headers of an answer', () => {
  it.each([
    ['attachment; filename="Größe.csv"', `attachment; filename="Gr_e.csv"; filename*=UTF-8''Gr%C3%B6%C3%9Fe.csv`],
    ['attachment; filename=été.csv; x=1', `attachment; filename="_t_.csv"; filename*=UTF-8''%C3%A9t%C3%A9.csv; x=1`],
    [
      String.raw`attachment; filename="a \"ü\" (1).csv"`,
      `${String.raw`attachment; filename="a \"_\" (1).csv"`}; filename*=UTF-8''a%20%22%C3%BC%22%20%281%29.csv`,
    ],
    ['attachment; filename="plain.csv"', 'attachment; filename="plain.csv"'],
  ])('carry the name of a file in any letters: %s', async (given, sent) => {
    expect(await headersOf({ 'Content-Disposition': given })).toMatchObject({ 'content-disposition': sent });
  });

  it('carry an address in any letters', async () => {
    expect(await headersOf({ location: 'https://x.example/größe?q=日本&a=%20#é' })).toMatchObject({
      location: 'https://x.example/gr%C3%B6%C3%9Fe?q=%E6%97%A5%E6%9C%AC&a=%20#%C3%A9',
    });
  });

  it.each([
    { location: 'https://x.example/\u00e9\r\nset-cookie: a=1' },
    { 'content-disposition': 'attachment; filename="\u00e9\r\nx: y"' },
    { 'content-disposition': 'ä; filename="x"' },
    { etag: '"ä"' },
    { location: `https://x.example/${'ä'.repeat(2_000)}` },
  ])('carry nothing else, and no further header: %j', async (headers) => {
    expect(await errorOf('respond', { body: 'x', headers })).toMatchObject({ code: 'invalid_params' });
  });
});
