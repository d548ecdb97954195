import { contentDisposition } from './content-disposition.js';

describe('contentDisposition', () => {
  it.each([
    ['report.pdf', 'inline; filename="report.pdf"'],
    ['a "b".pdf', `inline; filename="a _b_.pdf"; filename*=UTF-8''a%20%22b%22.pdf`],
    ["عقد (1)'s.pdf", `inline; filename="___ (1)'s.pdf"; filename*=UTF-8''%D8%B9%D9%82%D8%AF%20%281%29%27s.pdf`],
    ['cut 😀'.slice(0, 5), `inline; filename="cut _"; filename*=UTF-8''cut%20%EF%BF%BD`],
  ])('names %s', (filename, expected) => {
    expect(contentDisposition('inline', filename)).toBe(expected);
  });
});
