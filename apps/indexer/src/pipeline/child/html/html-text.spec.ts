import { htmlToText } from './html-text.js';

describe('htmlToText', () => {
  it.each([
    [
      'of pandoc',
      '<p>Pumps run.<a href="#fn1" class="footnote-ref" role="doc-noteref"><sup>1</sup></a> Filters do not.</p>',
    ],
    [
      'of an encyclopedia',
      '<p>Pumps run.<sup id="r"><a href="#cite_note-1">[1]</a></sup><sup><a href="#n">[a]</a></sup> Filters do not.</p>',
    ],
    ['of a book', '<p>Pumps run.<sup><a href="notes.xhtml#fn1">*</a></sup> Filters do not.<a href="#r">↩︎</a></p>'],
  ])('leaves out marks of notes %s, which glue sentences together', (_what, html) => {
    expect(htmlToText(html)).toBe('Pumps run. Filters do not.');
  });

  it('keeps links that say something', () => {
    expect(htmlToText('<p>See <a href="#a">chapter 2</a>, <a href="#b">3</a>, <a href="/c">[4]</a>.</p>')).toBe(
      'See chapter 2, 3, [4].',
    );
  });

  it('keeps exponents apart from their numbers', () => {
    expect(htmlToText('<p>10<sup>6</sup> and 2.5·10<sup>−3</sup> of 30 m<sup>2</sup> on the 1<sup>st</sup></p>')).toBe(
      '10^6 and 2.5·10^−3 of 30 m2 on the 1st',
    );
  });
});
