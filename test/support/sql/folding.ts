import ts from 'typescript';
import type { Sources, Scope } from './sources.js';

/** A stretch of text and the literal it stands in, or an expression whose value only the running program knows. */
export type Piece = { text: string; file: string; literal: ts.Node } | { hole: string };

/** What an expression may be: one list of pieces for each way of its conditions. */
export type Folded = Piece[][];

const MAX_VARIANTS = 8;
const MAX_DEPTH = 16;

/** Follows constants, imports, templates, conditions and functions of one return, as far as they can be read without running. */
export function fold(node: ts.Expression, scope: Scope, sources: Sources, depth = 0): Folded {
  const unknown: Folded = [[{ hole: node.getText() }]];
  if (depth > MAX_DEPTH) return unknown;
  const again = (inner: ts.Expression, at = scope): Folded => fold(inner, at, sources, depth + 1);
  if (ts.isStringLiteralLike(node)) return [[{ text: node.text, file: scope.file, literal: node }]];
  if (ts.isNumericLiteral(node)) return [[{ text: node.text, file: scope.file, literal: node }]];
  if (ts.isTemplateExpression(node)) {
    let all: Folded = [[{ text: node.head.text, file: scope.file, literal: node }]];
    for (const span of node.templateSpans)
      all = product(product(all, again(span.expression)), [
        [{ text: span.literal.text, file: scope.file, literal: node }],
      ]);
    return all;
  }
  if (
    ts.isParenthesizedExpression(node) ||
    ts.isAsExpression(node) ||
    ts.isSatisfiesExpression(node) ||
    ts.isNonNullExpression(node)
  )
    return again(node.expression);
  if (ts.isConditionalExpression(node))
    return [...again(node.whenTrue), ...again(node.whenFalse)].slice(0, MAX_VARIANTS);
  if (ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.PlusToken)
    return product(again(node.left), again(node.right));
  if (ts.isIdentifier(node)) {
    const bound = scope.bound.get(node.text);
    if (bound !== undefined) return bound;
    const found = sources.constant(node, scope);
    return found === undefined ? unknown : again(found.value, found.scope);
  }
  if (ts.isPropertyAccessExpression(node) || ts.isElementAccessExpression(node)) {
    const found = sources.members(node, scope);
    return found.length === 0
      ? unknown
      : found.flatMap(({ value, scope: at }) => again(value, at)).slice(0, MAX_VARIANTS);
  }
  if (ts.isCallExpression(node)) return foldCall(node, scope, sources, depth) ?? unknown;
  return unknown;
}

function foldCall(node: ts.CallExpression, scope: Scope, sources: Sources, depth: number): Folded | undefined {
  if (ts.isPropertyAccessExpression(node.expression)) {
    const { name, expression } = node.expression;
    if (['trim', 'trimEnd', 'trimStart'].includes(name.text)) return fold(expression, scope, sources, depth + 1);
    return name.text === 'join' ? foldJoin(expression, node.arguments[0], scope, sources, depth) : undefined;
  }
  if (!ts.isIdentifier(node.expression)) return undefined;
  if (node.expression.text === 'exportedRow') return foldExportedRow(node, scope, sources, depth);
  const called = sources.function(node.expression, scope);
  if (called === undefined) return undefined;
  const bound = new Map(called.scope.bound);
  called.parameters.forEach((parameter, at) => {
    if (!ts.isIdentifier(parameter.name)) return;
    const given = node.arguments[at] ?? parameter.initializer;
    const where = node.arguments[at] === undefined ? called.scope : scope;
    bound.set(
      parameter.name.text,
      given === undefined ? [[{ hole: parameter.name.text }]] : fold(given, where, sources, depth + 1),
    );
  });
  return fold(called.returned, { ...called.scope, bound }, sources, depth + 1);
}

/** `exportedRow` of libs/erasure, which goes through a list of columns. */
function foldExportedRow(node: ts.CallExpression, scope: Scope, sources: Sources, depth: number): Folded | undefined {
  const [columns, alias, type] = node.arguments;
  const found = columns && ts.isIdentifier(columns) ? sources.constant(columns, scope) : undefined;
  if (!found || !alias || !ts.isObjectLiteralExpression(found.value)) return undefined;
  const exported = found.value.properties.find((member) => member.name?.getText() === 'exported');
  if (!exported || !ts.isPropertyAssignment(exported) || !ts.isArrayLiteralExpression(exported.initializer))
    return undefined;
  const names = exported.initializer.elements.flatMap((name) => (ts.isStringLiteralLike(name) ? name.text : []));
  if (names.length < exported.initializer.elements.length) return undefined;
  const of = fold(alias, scope, sources, depth + 1);
  const text = (written: string): Folded => [[{ text: written, file: scope.file, literal: node }]];
  const head = product(type ? fold(type, scope, sources, depth + 1) : text('jsonb'), text('_build_object('));
  const members = names.reduce(
    (all, name, at) => product(product(product(all, text(`${at > 0 ? ', ' : ''}'${name}', `)), of), text(`.${name}`)),
    head,
  );
  return product(members, text(')'));
}

/** `[A, B].join(' AND ')` of a list that is written down, at once or as a constant. */
function foldJoin(
  list: ts.Expression,
  by: ts.Expression | undefined,
  scope: Scope,
  sources: Sources,
  depth: number,
): Folded | undefined {
  // A list that grows later is not what is written down.
  if (ts.isIdentifier(list) && list.getSourceFile().text.includes(`${list.text}.push(`)) return undefined;
  const found = ts.isIdentifier(list) ? sources.constant(list, scope) : { value: list, scope };
  const plain = found && (ts.isAsExpression(found.value) ? found.value.expression : found.value);
  if (found === undefined || plain === undefined || !ts.isArrayLiteralExpression(plain)) return undefined;
  if (plain.elements.some((element) => ts.isSpreadElement(element))) return undefined;
  const between = by === undefined ? [[]] : fold(by, scope, sources, depth + 1);
  return plain.elements.reduce<Folded>(
    (all, element, at) => {
      const value = fold(element, found.scope, sources, depth + 1);
      return product(at === 0 ? all : product(all, between), value);
    },
    [[]],
  );
}

function product(left: Folded, right: Folded): Folded {
  return left.flatMap((first) => right.map((second) => [...first, ...second])).slice(0, MAX_VARIANTS);
}
