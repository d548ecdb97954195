import { type FieldErrors, refuseUnstorable, ValidationError } from '@app/common';
import { PARAM_TYPES, type NamedQuery, type QueryParam } from '../queries/named-query.js';
import { ARTIFACT_KINDS, ARTIFACT_LIMITS, type ArtifactDraft } from './artifact-shapes.js';

const NAME = /^[a-z][a-z0-9_]{0,62}$/;
const REF = /^(?:file|ds):/;
const DAY = /^\d{4}-\d{2}-\d{2}$/;

/**
 * The draft as it is kept: title and note without the white space around them. Whether its queries run is not looked at.
 * @throws ValidationError, by the name of the field
 */
export function checkDraft(draft: ArtifactDraft): ArtifactDraft {
  const title = draft.title.trim();
  const changeNote = draft.changeNote.trim();
  const problems: Record<string, string | null> = {
    title: title === '' ? 'This field may not be blank.' : problemOfText(title, ARTIFACT_LIMITS.titleCharacters),
    kind: ARTIFACT_KINDS.includes(draft.kind) ? null : `"${draft.kind}" is not a valid choice.`,
    html: problemOfHtml(draft.html),
    change_note: problemOfText(changeNote, ARTIFACT_LIMITS.changeNoteCharacters),
    queries: problemOfQueries(draft.queries),
  };
  const fields: FieldErrors = {};
  for (const [field, problem] of Object.entries(problems)) if (problem !== null) fields[field] = [problem];
  if (Object.keys(fields).length > 0) throw new ValidationError(fields, { code: 'invalid_artifact' });
  return { ...draft, title, changeNote, queries: draft.queries.map(toKeptQuery) };
}

function problemOfText(text: string, most: number): string | null {
  if ([...text].length > most) return `Ensure this field has no more than ${most} characters.`;
  return refuseUnstorable(text)?.message ?? null;
}

function problemOfHtml(html: string): string | null {
  if (html.trim() === '') return 'This field may not be blank.';
  if (Buffer.byteLength(html) > ARTIFACT_LIMITS.htmlBytes)
    return `A page may have ${ARTIFACT_LIMITS.htmlBytes / 1024 / 1024} MB at most.`;
  return refuseUnstorable(html)?.message ?? null;
}

function problemOfQueries(queries: readonly NamedQuery[]): string | null {
  if (queries.length > ARTIFACT_LIMITS.queries) return `A page may have ${ARTIFACT_LIMITS.queries} queries at most.`;
  const names = new Set<string>();
  for (const query of queries) {
    const problem = problemOfQuery(query);
    if (problem !== null) return problem;
    if (names.has(query.name)) return `Two queries are called "${query.name}".`;
    names.add(query.name);
  }
  if (Buffer.byteLength(JSON.stringify(queries)) > ARTIFACT_LIMITS.queriesBytes)
    return `The queries may have ${ARTIFACT_LIMITS.queriesBytes / 1024 / 1024} MB together at most.`;
  const refs = [...new Set(queries.map(({ sourceRef }) => sourceRef))];
  const files = refs.filter((ref) => ref.startsWith('file:')).length;
  if (files > ARTIFACT_LIMITS.files) return `A page may read ${ARTIFACT_LIMITS.files} files at most.`;
  if (refs.length - files > ARTIFACT_LIMITS.dataSources)
    return `A page may read ${ARTIFACT_LIMITS.dataSources} data sources at most.`;
  return null;
}

function problemOfQuery({ name, sourceRef, sql, params }: NamedQuery): string | null {
  if (!NAME.test(name)) return 'A query is called by a small letter, then small letters, digits and _, 63 at most.';
  if (!REF.test(sourceRef) || sourceRef.length > 100)
    return `The query "${name}" has to name its source as file:<uid> or ds:<id>.`;
  if (sql.trim() === '') return `The query "${name}" has no statement.`;
  const problem = problemOfText(sql, ARTIFACT_LIMITS.sqlCharacters);
  if (problem !== null) return `The statement of the query "${name}": ${problem}`;
  if (params.length > ARTIFACT_LIMITS.params)
    return `The query "${name}" has more than ${ARTIFACT_LIMITS.params} parameters.`;
  const names = new Set<string>();
  for (const param of params) {
    const wrong = problemOfParam(param);
    if (wrong !== null) return `The query "${name}": ${wrong}`;
    if (names.has(param.name)) return `The query "${name}" has two parameters "${param.name}".`;
    names.add(param.name);
  }
  return null;
}

function problemOfParam(param: QueryParam): string | null {
  if (!NAME.test(param.name))
    return 'a parameter is called by a small letter, then small letters, digits and _, 63 at most.';
  if (!PARAM_TYPES.includes(param.type)) return `the parameter "${param.name}" has none of the types ${types}.`;
  if (param.default === undefined || param.default === null || isOfType(param)) return null;
  return `the default of the parameter "${param.name}" is no ${param.type}.`;
}

const types = PARAM_TYPES.join(', ');

function isOfType({ type, default: value }: QueryParam): boolean {
  if (type === 'boolean') return typeof value === 'boolean';
  if (type === 'number') return typeof value === 'number' && Number.isFinite(value);
  if (typeof value !== 'string' || refuseUnstorable(value) !== null) return false;
  if (type === 'text') return value.length <= ARTIFACT_LIMITS.sqlCharacters;
  // The calendar has no 30th of February, and `Date` makes another day of it.
  return DAY.test(value) && new Date(`${value}T00:00:00Z`).toJSON()?.slice(0, 10) === value;
}

/** Only what a query has: whatever else somebody sent along is not kept. */
function toKeptQuery({ name, sourceRef, sql, params }: NamedQuery): NamedQuery {
  return {
    name,
    sourceRef,
    sql,
    params: params.map((param) => ({
      name: param.name,
      type: param.type,
      ...(param.default === undefined ? {} : { default: param.default }),
    })),
  };
}
