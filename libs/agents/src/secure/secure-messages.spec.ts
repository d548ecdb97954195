import type { ModelDescriptor } from '@app/integrations';
import { secureMessages, type SecureChat } from './secure-messages.js';

const model = (contextWindow: number | null): ModelDescriptor => ({
  id: 1,
  name: 'm',
  value: 'm',
  provider: 'p',
  capability: 'chat',
  onPremises: true,
  contextWindow,
  maxOutputTokens: null,
  supports: { tools: false, structuredOutput: false, images: true, reasoning: false },
});
const chat = (changes: Partial<SecureChat>): SecureChat => ({
  question: 'What is it about?',
  history: [],
  attachments: [],
  language: null,
  model: model(4000),
  ...changes,
});
const page = (number: number, words: number) => ({ page: number, text: `p${number} ${'word '.repeat(words)}` });

describe('secureMessages', () => {
  it('shows small files whole, before the question, as data', () => {
    const pages = [page(1, 5), page(2, 5)];
    const [asked] = secureMessages(chat({ attachments: [{ name: 'a.pdf', kind: 'text', pages, pageCount: 2 }] }));
    expect(asked).toMatchObject({ role: 'user' });
    const { content } = asked as { content: string };
    expect(content).toMatch(
      /^<<<DATA \w+ \(attached file: a\.pdf\)\n\[page 1\]\np1[^]*\[page 2\]\np2[^]*\n<<<END \w+\n\nWhat is it about\?$/,
    );
  });

  it('takes first pages as far as they fit, fairly among files, and says so', () => {
    const pages = Array.from({ length: 40 }, (_, at) => page(at + 1, 200));
    const files = ['a.pdf', 'b.pdf'].map((name) => ({ name, kind: 'text' as const, pages, pageCount: 40 }));
    const [asked] = secureMessages(chat({ attachments: files }));
    const { content } = asked as { content: string };
    expect(content.match(/\[page 1\]/g)).toHaveLength(2);
    expect(content).not.toContain('[page 9]');
    expect(content).toMatch(/The first \d of 40 pages/);
    expect(content.length).toBeLessThan(4000 * 5);
  });

  it('shows a part of a page that is too long alone', () => {
    const [asked] = secureMessages(
      chat({ attachments: [{ name: 'a.txt', kind: 'text', pages: [page(1, 30_000)], pageCount: 1 }] }),
    );
    const { content } = asked as { content: string };
    expect(content.length).toBeGreaterThan(2_000);
    expect(content.length).toBeLessThan(20_000);
  });

  it('keeps the end of a history that does not fit, from a question on', () => {
    const history = Array.from({ length: 40 }, (_, at) => ({
      role: at % 2 === 0 ? ('user' as const) : ('assistant' as const),
      content: `${at} ${'word '.repeat(150)}`,
    }));
    const messages = secureMessages(chat({ history }));
    expect(messages.length).toBeGreaterThan(3);
    expect(messages.length).toBeLessThan(40);
    expect(messages[0]!.role).toBe('user');
    expect(messages.at(-2)).toBe(history.at(-1));
  });

  it('shows images, and names what cannot be read', () => {
    const image = { mediaType: 'image/png', data: new Uint8Array([1]) };
    const [asked] = secureMessages(
      chat({
        attachments: [
          { name: 'a.png', kind: 'image', image },
          { name: 'b.zip', kind: 'unreadable', reason: 'It is an archive.' },
        ],
      }),
    );
    expect(asked).toMatchObject({ images: [image], content: expect.stringContaining('"b.zip"') as string });
  });
});
