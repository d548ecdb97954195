/**
 * Rises whenever the same file would give a better index than before: other passages, other terms, more text. Indexers
 * then read documents of older versions again in the background, while their old index answers.
 * 2: passages end at sentences; terms by language; tables, headers and cells that were lost.
 * 3: parts within compounds.
 * 4: words beside digits and long vowels in scripts without spaces, Korean without particles; what is filled into forms and
 *    said in comments of PDFs, and no text that nobody sees.
 * 5: no text that is hidden in office files, cut away or in layers that are off; messages within messages; dates of workbooks.
 * 6: words of old Word files that were lost, values of formulas that workbooks do not say, exponents apart from their numbers.
 * 7: words of RTF that were lost; formulas, symbols and imported parts of Word files; names and numbers in PDFs from right to left.
 * 8: tables of PDFs whose headings stand in the middle of their columns; headers of sheets below a title, and in two rows.
 * 9: what is attached to e-mails.
 * 10: no text that style sheets of books hide; exponents of books and old Word files apart from their numbers.
 * 11: what Outlook packs into `winmail.dat`, and what a signature encloses.
 * 12: points of slides that take their marks from the layout; further tables of a sheet under their own headers.
 */
export const INDEX_PIPELINE_VERSION = 12;
