import { ValidationError } from '@app/common';

export const OCR_LANGUAGES_FIELD = {
  commaSeparated: true,
  maxItems: 10,
  description:
    'Languages in which text is recognised, as three-letter codes (`deu` or `deu,eng`), the likeliest first. All that the ' +
    'installation offers when empty: each page is then read in the script and language that it shows. A code that is not ' +
    'offered is refused with those that are.',
};

/** @throws ValidationError which names what is offered */
export function checkOcrLanguages(wanted: readonly string[], offered: readonly string[]): string[] {
  const codes = [...new Set(wanted.map((code) => code.trim().toLowerCase()))];
  const unknown = codes.filter((code) => !offered.includes(code));
  if (unknown.length === 0) return codes;
  const message = `Text is not recognised in this language: ${unknown.join(', ')}. Offered are: ${offered.join(', ')}.`;
  throw new ValidationError({ ocr_languages: [message] });
}
