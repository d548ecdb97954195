import { chartText, drawingText } from './drawings.js';
import { cpuStopwatch } from '../../../../../../test/support/timing.js';

describe('drawings', () => {
  it('reads runs of a paragraph as one line, and entities once', () => {
    const xml =
      '<a:p><a:t>1 &lt; 2 &amp;amp; </a:t><a:br/><a:t lang="en">&#x41;&#66;&no;</a:t></a:p><a:p/><a:p a="b"/>';
    expect(drawingText(xml)).toBe('1 < 2 &amp; AB&no;');
  });

  it('takes one pass through what never ends', () => {
    const took = cpuStopwatch();
    for (const text of ['<a:p>', '<a:p ', '<c:ser><c:cat>', '<a:p><a:t ', '<c:ser><c:v>']) {
      expect(chartText(text.repeat(400_000))).toBe('');
      expect(chartText(`<c:ser>${text.repeat(400_000)}</c:ser>`)).toBe('');
    }
    expect(took()).toBeLessThan(10_000);
  });
});
