import { htmlToText } from './html-text.js';
import { cpuStopwatch } from '../../../../../../test/support/timing.js';

const page = (styles: string, body: string, head = '') =>
  htmlToText(`<html><head><style>${styles}</style>${head}</head><body><p>The budget is 10.</p>${body}</body></html>`);

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

  it('writes formulas on one line, once', () => {
    const formula =
      '<math><semantics><mrow><mi>E</mi><mo>=</mo><msup><mi>c</mi><mn>2</mn></msup><mfrac><mn>1</mn><mrow><mn>2</mn><mo>+</mo><mi>x</mi></mrow></mfrac></mrow><annotation encoding="application/x-tex">E=c^2</annotation></semantics></math>';
    expect(htmlToText(`<p>${formula}</p>`)).toBe('E=c^2 1/(2+x)');
    const placed =
      '<msqrt><mn>2</mn></msqrt><mo>;</mo><mroot><mi>x</mi><mn>3</mn></mroot><mo>;</mo><msubsup><mi>x</mi><mn>1</mn><mn>2</mn></msubsup><mo>;</mo><mover><mi>y</mi><mo>¯</mo></mover>';
    expect(htmlToText(`<p><math>${placed}</math></p>`)).toBe('√2;√[3]x;x_1^2;y');
  });

  it.each([
    [
      'what is typed into boxes',
      'Fill in<textarea>My words\nhere</textarea>and send.',
      'Fill in My words\nhere and send.',
    ],
    ['buttons', 'A<button>Send</button><button>Cancel</button>', 'A Send Cancel'],
    ['what pages without scripts say', 'You<noscript>need scripts</noscript>here', 'You need scripts here'],
    ['quotes', 'She said<q>yes</q>and left', 'She said“yes”and left'],
    ['words of drawings', '<svg><text>One</text><text>Two</text></svg>', 'One Two'],
    [
      'lines that a style makes',
      '<span style="display:block">One</span><b class="l">Two</b>three',
      'One\n\nTwo\n\nthree',
    ],
    ['what a style raises', '10<span class="up">6</span>', '10^6'],
    ['bars without their words for old browsers', 'done:<progress>30</progress><meter>60%</meter> yes', 'done: yes'],
  ])('keeps apart %s', (_, body, text) => {
    expect(htmlToText(`<style>.l{display:block}.up{vertical-align:super}</style><div>${body}</div>`)).toBe(text);
  });

  it.each([
    ['by class', '.note{display:none}', '<p class="x note">SECRET</p>'],
    ['by id', '#n { visibility: hidden }', '<p id="n">SECRET</p>'],
    ['in a list of selectors', 'h6, p.a.b {color:red; display: none !important}', '<p class="b a">SECRET</p>'],
    [
      'by what it stands in',
      '.box > .in span{display:none}',
      '<div class="box"><p class="in"><b><span>SECRET</span></b></p></div>',
    ],
    ['by an attribute', '[data-state="off"]{opacity:0}', '<p data-state="off">SECRET</p>'],
    ['on screens', '@media print{p{color:red}} @media screen{.s{font-size:0px}}', '<p class="s">SECRET</p>'],
    ['as white on white', '.w{color:#fff}', '<p class="w">SECRET</p>'],
    [
      'in the colour of its box',
      '.d{background:#102030}',
      '<div class="d"><p style="color: rgb(16, 32, 48)">SECRET</p></div>',
    ],
    ['for programs that read aloud', '', '<p aria-hidden="true">SECRET</p>'],
    ['inline', '.i{display:block}', '<p class="i" style="Display : None">SECRET</p><font color="white">SECRET</font>'],
  ])('leaves out what is hidden %s', (_how, styles, body) => {
    expect(page(styles, body)).toBe('The budget is 10.');
  });

  it.each([
    ['in print', '@media print{.n{display:none}}', '<p class="n">seen</p>'],
    ['on small screens', '@media (max-width: 600px){.n{display:none}}', '<p class="n">seen</p>'],
    ['until it is opened', '.tab{display:none} .tab.open{display:block}', '<p class="tab open">seen</p>'],
    ['when it is pointed at', '.n:hover{display:none}', '<p class="n">seen</p>'],
    ['elsewhere', '.box .n{display:none}', '<p class="n">seen</p>'],
    ['around it', '.row{font-size:0} .cell{font-size:14px}', '<div class="row"><p class="cell">seen</p></div>'],
    ['on a dark bar', '.bar{background:#036;color:#fff}', '<p class="bar">seen</p>'],
    ['on a picture', '.bar{color:#fff}', '<table background="x.png"><tr><td class="bar">seen</td></tr></table>'],
  ])('keeps what is hidden %s only', (_how, styles, body) => {
    expect(page(styles, body)).toBe('The budget is 10.\n\nseen');
  });

  it('does not judge colours where another file has the styles', () => {
    expect(page('.w{color:#fff}', '<p class="w">seen</p>', '<link rel="stylesheet" href="a.css">')).toContain('seen');
  });

  it('reads pages whose styles are made to keep it busy', () => {
    const deep = '<div class="x">'.repeat(180);
    const busy = cpuStopwatch();
    expect(page(`${'div '.repeat(60)}.y{display:none} ${'@media screen{'.repeat(20_000)}`, `${deep}seen`)).toContain(
      'seen',
    );
    expect(busy()).toBeLessThan(5000);
  });
});
