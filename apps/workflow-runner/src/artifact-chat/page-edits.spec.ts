import { digestOf, editedPage, type Page, pageEdit, requireSources, writtenPage } from './page-edits.js';

const query = (name: string, sql = 'SELECT 1') => ({ name, source_ref: 'file:a', sql });
const PAGE: Page = {
  title: 'T',
  kind: 'report',
  html: '<p>one</p><p>two</p><p>two</p>',
  queries: ['a', 'b'].map((name) => ({ name, sourceRef: 'file:a', sql: 'SELECT 1', params: [] })),
};
const edit = (given: object) => editedPage(PAGE, pageEdit.parse(given));

describe('edits of a page', () => {
  it('replace texts as they are, one after the other', () => {
    const edits = [
      { find: '<p>one</p>', replace: '$& $1 \\n' },
      { find: '$1', replace: '2' },
      { find: 'two', replace: 'TWO', all: true },
    ];
    expect(edit({ edits })).toEqual({ ...PAGE, html: '$& 2 \\n<p>TWO</p><p>TWO</p>' });
  });

  it('set, add and remove queries, in their order', () => {
    const edited = edit({ set_queries: [query('c'), query('b', 'SELECT 2')], remove_queries: ['a'], title: ' New ' });
    expect(edited.queries.map(({ name, sql }) => [name, sql])).toEqual([
      ['b', 'SELECT 2'],
      ['c', 'SELECT 1'],
    ]);
    expect(edited).toMatchObject({ title: 'New', kind: 'report', html: PAGE.html });
  });

  it.each<[string, object, RegExp]>([
    ['a text that is not there', { edits: [{ find: 'three', replace: '' }] }, /edit 1 does not stand in the page/],
    ['one that is there twice', { edits: [{ find: 'two', replace: '' }] }, /stands 2 times/],
    [
      'the second of two',
      {
        edits: [
          { find: 'one', replace: '' },
          { find: 'one', replace: '' },
        ],
      },
      /edit 2 does not/,
    ],
    ['a query that is not there', { remove_queries: ['z'] }, /no query z/],
    ['two of one name', { set_queries: [query('c'), query('c')] }, /same name/],
    ['nothing left', { edits: [{ find: PAGE.html, replace: ' ' }] }, /would be empty/],
    [
      'too much',
      {
        edits: [
          { find: 'one', replace: 'x'.repeat(400_000) },
          ...Array.from({ length: 5 }, () => ({ find: '<p>', replace: `<p>${'y'.repeat(400_000)}`, all: true })),
        ],
      },
      /2 MB at most/,
    ],
  ])('change nothing for %s', (_, given, why) => {
    expect(() => edit(given)).toThrow(why);
  });

  it.each([
    [{ edits: [{ find: '', replace: 'x' }] }],
    [{ set_queries: [query('Upper')] }],
    [{ set_queries: [query('a; DROP')] }],
    [{ set_queries: [{ ...query('a'), params: [{ name: 'p', type: 'list' }] }] }],
    [{ title: ' ' }],
    [{ kind: 'other' }],
    [{ html: 'x' }],
  ])('are refused for their shape: %j', (given) => {
    expect(pageEdit.safeParse(given).success).toBe(false);
  });
});

describe('a page that is written', () => {
  it('holds nothing that cannot be kept, and no default that nobody gave', () => {
    const page = writtenPage.parse({
      title: 'A\0B',
      html: `x\ud800\0`,
      queries: [
        {
          ...query('q'),
          params: [
            { name: 'p', type: 'text' },
            { name: 'n', type: 'number', default: null },
          ],
        },
      ],
    });
    expect(page).toEqual({
      title: 'AB',
      kind: 'dashboard',
      html: 'x\ufffd',
      queries: [
        {
          name: 'q',
          sourceRef: 'file:a',
          sql: 'SELECT 1',
          params: [
            { name: 'p', type: 'text' },
            { name: 'n', type: 'number', default: null },
          ],
        },
      ],
    });
    expect(digestOf(page)).not.toBe(digestOf({ ...page, title: 'A' }));
  });

  it('reads its own sources alone', () => {
    expect(() => requireSources(PAGE.queries, ['file:a', 'ds:1'])).not.toThrow();
    expect(() => requireSources(PAGE.queries, ['ds:1'])).toThrow(/"a" reads file:a, which is no source.*it has ds:1/);
    expect(() => requireSources(PAGE.queries, [])).toThrow(/has no sources/);
  });
});
