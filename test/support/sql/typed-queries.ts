import ts from 'typescript';
import { fold } from './folding.js';
import { rowTypeOf, type RowType } from './row-types.js';
import { Sources } from './sources.js';
import { BEGINS, OTHER_DATABASES } from './statements.js';

/** One way that a call of `.query` may go. */
export interface TypedQuery {
  /** `file:line` */
  readonly place: string;
  /** Null where a part of it is known to the running program alone. */
  readonly text: string | null;
  /** Null where the call names none, or one that is not followed. */
  readonly row: RowType | null;
  /** Whether all that is to compare is known: the text, and the row where the call declares one. */
  readonly isKnown: boolean;
}

/** Each call that hands a statement to the database, with what it says the rows are. */
export function readQueries(sources = new Sources()): TypedQuery[] {
  const queries: TypedQuery[] = [];
  for (const file of sources.files) {
    if (OTHER_DATABASES.some((folder) => file.startsWith(folder))) continue;
    const source = sources.parse(file);
    const visit = (node: ts.Node): void => {
      if (
        ts.isCallExpression(node) &&
        ts.isPropertyAccessExpression(node.expression) &&
        node.expression.name.text === 'query'
      )
        queries.push(...read(node));
      ts.forEachChild(node, visit);
    };
    const read = (call: ts.CallExpression): TypedQuery[] => {
      const [given] = call.arguments;
      if (given === undefined) return [];
      const place = `${file}:${source.getLineAndCharacterOfPosition(call.getStart()).line + 1}`;
      const [type] = call.typeArguments ?? [];
      const row = type === undefined ? null : rowTypeOf(type, file, sources);
      return fold(given, { file, bound: new Map() }, sources).map((pieces) => {
        const texts = pieces.map((piece) => ('text' in piece ? piece.text : null));
        const text = texts.includes(null) ? null : texts.join('');
        const statement = text !== null && BEGINS.test(text) ? text : null;
        return { place, text: statement, row, isKnown: statement !== null && (row !== null || !namesColumns(type)) };
      });
    };
    visit(source);
  }
  return queries;
}

/** `query`, `query<unknown[]>` and `query<[unknown, number]>` say nothing of columns. */
function namesColumns(type: ts.TypeNode | undefined): boolean {
  return type !== undefined && !/^(?:unknown(?:\[\])?|\[unknown(?:\[\])?, number\])$/.test(type.getText());
}
