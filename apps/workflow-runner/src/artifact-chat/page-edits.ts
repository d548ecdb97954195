import { cutText } from '@app/common';
import { createHash } from 'node:crypto';
import { type PageDraft, ToolCallError } from '@app/agents';
import { ARTIFACT_KINDS, ARTIFACT_LIMITS, type NamedQuery, PARAM_TYPES } from '@app/artifacts';
import { z } from 'zod';

/** What `jsonb` cannot hold is no part of a page. */
const clean = (text: string): string => text.replaceAll('\0', '').toWellFormed();
const text = (most: number) => z.string().max(most).transform(clean);

const NAME = /^[a-z][a-z0-9_]{0,62}$/;
const name = z.string().regex(NAME, 'A small letter, then small letters, digits and _, 63 at most.');

const param = z
  .strictObject({
    name,
    type: z.enum(PARAM_TYPES),
    default: z.union([text(2_000), z.number(), z.boolean(), z.null()]).optional(),
  })
  // A default that is absent is no default.
  .transform(({ default: value, ...rest }) => (value === undefined ? rest : { ...rest, default: value }));

export const writtenParams = z.array(param).max(50).default([]);
export const writtenSql = text(20_000).pipe(z.string().min(1));

const writtenQuery = z
  .strictObject({ name, source_ref: z.string().max(100), sql: writtenSql, params: writtenParams })
  .transform(({ source_ref: sourceRef, ...query }): NamedQuery => ({ ...query, sourceRef }));

const title = text(ARTIFACT_LIMITS.titleCharacters).pipe(z.string().trim().min(1));
const html = text(ARTIFACT_LIMITS.htmlBytes).pipe(z.string().min(1));
const kind = z.enum(ARTIFACT_KINDS);
const queries = z.array(writtenQuery).max(ARTIFACT_LIMITS.queries);

export const writtenPage = z.strictObject({
  title,
  kind: kind.default('dashboard'),
  html,
  queries: queries.default([]),
});
export type WrittenPage = z.output<typeof writtenPage>;

const MOST_EDITS = 40;

export const pageEdit = z.strictObject({
  title: title.optional(),
  kind: kind.optional(),
  edits: z
    .array(
      z.strictObject({
        find: text(100_000).pipe(z.string().min(1)),
        replace: text(500_000),
        all: z.boolean().default(false),
      }),
    )
    .max(MOST_EDITS)
    .default([]),
  set_queries: queries.default([]),
  remove_queries: z.array(z.string().max(63)).max(ARTIFACT_LIMITS.queries).default([]),
});
export type PageEdit = z.output<typeof pageEdit>;

/** A page, whatever has become of it since. */
export type Page = Pick<PageDraft, 'title' | 'kind' | 'html' | 'queries'>;

const SHOWN = 120;

/** All edits, or none. @throws ToolCallError for a text that does not stand there just once, or a query that is not there */
export function editedPage(page: Page, edit: PageEdit): Page {
  const { edits, set_queries: set, remove_queries: removed } = edit;
  let edited = page.html;
  for (const [at, { find, replace, all }] of edits.entries()) {
    const count = edited.split(find).length - 1;
    if (count === 0)
      throw mistake(
        `Nothing was changed: the text of edit ${at + 1} does not stand in the page: ${JSON.stringify(cutText(find, SHOWN))}. Read the page, and copy it exactly.`,
      );
    if (count > 1 && !all)
      throw mistake(
        `Nothing was changed: the text of edit ${at + 1} stands ${count} times in the page. Take more of what stands around it, or set all.`,
      );
    // As it is: `$&` and the like mean nothing here.
    edited = edited.replaceAll(find, () => replace);
  }
  const unknown = removed.filter((one) => !page.queries.some((query) => query.name === one));
  if (unknown.length > 0) throw mistake(`Nothing was changed: there is no query ${unknown.join(', ')}.`);
  const names = new Set(set.map((query) => query.name));
  const kept = page.queries.filter((query) => !removed.includes(query.name));
  const changed = kept.map((query) => set.find((one) => one.name === query.name) ?? query);
  const added = set.filter((query) => !kept.some((one) => one.name === query.name));
  if (names.size < set.length) throw mistake('Nothing was changed: two queries have the same name.');
  return requireWhole({
    title: edit.title ?? page.title,
    kind: edit.kind ?? page.kind,
    html: edited,
    queries: [...changed, ...added],
  });
}

/** @throws ToolCallError for what no version may be */
export function requireWhole(page: Page): Page {
  if (Buffer.byteLength(page.html) > ARTIFACT_LIMITS.htmlBytes)
    throw mistake(`Nothing was changed: a page may have ${ARTIFACT_LIMITS.htmlBytes / 1024 / 1024} MB at most.`);
  if (page.html.trim() === '') throw mistake('Nothing was changed: the page would be empty.');
  if (page.queries.length > ARTIFACT_LIMITS.queries)
    throw mistake(`Nothing was changed: a page may have ${ARTIFACT_LIMITS.queries} queries at most.`);
  const names = page.queries.map((query) => query.name);
  const twice = names.find((one, at) => names.indexOf(one) !== at);
  if (twice !== undefined) throw mistake(`Nothing was changed: two queries are called "${twice}".`);
  return page;
}

/** Queries may read what the conversation is about, and nothing else. @throws ToolCallError */
export function requireSources(queriesOfPage: readonly NamedQuery[], refs: readonly string[]): void {
  const other = queriesOfPage.find(({ sourceRef }) => !refs.includes(sourceRef));
  if (!other) return;
  const known = refs.length === 0 ? 'has no sources' : `has ${refs.join(', ')}`;
  throw mistake(
    `The query "${other.name}" reads ${cutText(other.sourceRef, SHOWN)}, which is no source of this conversation: it ${known}.`,
  );
}

/** Tells one page from another. */
export function digestOf({ title: called, kind: of, html: page, queries: asked }: Page): string {
  return createHash('sha256')
    .update(JSON.stringify([called, of, page, asked]))
    .digest('hex');
}

const mistake = (message: string): ToolCallError => new ToolCallError('invalid_params', message, true);
