import { hostileCompoundFiles } from '../../../../../test/support/hostile/compound-files.js';
import { outlookMessage } from '../../../../../test/fixtures/documents/make-kinds.js';
import { checkCompoundFile } from './compound-file.js';
import { extractText } from './parsers/extract-text.fixture.js';

/** They hold together, but hold much. */
const SOUND = ['rtf-bomb.msg', 'many-properties.msg', 'container-loop.msg'];

describe('compound files', () => {
  it.each(hostileCompoundFiles().filter(({ name }) => !SOUND.includes(name)))(
    'refuses $name before a parser follows it',
    async ({ bytes }) => {
      expect(() => checkCompoundFile(bytes())).toThrow('its parts do not hold together');
      await expect(extractText('msg', bytes())).rejects.toMatchObject({ code: 'damaged' });
    },
  );

  it('takes those that are whole, whatever their size', () => {
    for (const length of [0, 10, 63, 64, 65, 4_095, 4_096, 4_097, 200_000, 9_000_000]) {
      const message = outlookMessage({ '0037001F': 'Tide', '1000001F': 'x'.repeat(length) }, { '3001001F': 'Bo' });
      expect(() => checkCompoundFile(message)).not.toThrow();
    }
  });

  it('says so when a message ends too early, wherever', async () => {
    const message = outlookMessage({ '0037001F': 'Tide', '1000001F': 'High tide at noon. '.repeat(800) }, {});
    for (const share of [0.01, 0.1, 0.3, 0.5, 0.7, 0.9])
      await expect(extractText('msg', message.subarray(0, message.length * share))).rejects.toMatchObject({
        code: 'damaged',
      });
  });
});
