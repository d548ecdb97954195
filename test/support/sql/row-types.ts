import ts from 'typescript';
import type { Sources } from './sources.js';

/** What a row type says of a column; without `kinds` it says something that is not compared. */
export interface Declared {
  readonly kinds: ReadonlySet<string> | null;
  readonly isNullable: boolean;
  /** `name?`: the statement may leave it out. */
  readonly isOptional?: boolean;
}

export type RowType = ReadonlyMap<string, Declared>;

/**
 * The row of `query<Row[]>`, `query<[Row]>` or `query<[Row[], number]>` (what a write gives); null where it is put
 * together in a way that is not followed.
 */
export function rowTypeOf(type: ts.TypeNode, file: string, sources: Sources): RowType | null {
  if (ts.isArrayTypeNode(type)) return membersOf(type.elementType, file, sources);
  if (!ts.isTupleTypeNode(type)) return null;
  const [first, ...rest] = type.elements.map((one) => (ts.isNamedTupleMember(one) ? one.type : one));
  if (first === undefined) return null;
  if (rest.length === 0) return membersOf(ts.isOptionalTypeNode(first) ? first.type : first, file, sources);
  return ts.isArrayTypeNode(first) && rest.length === 1 ? membersOf(first.elementType, file, sources) : null;
}

function membersOf(type: ts.TypeNode, file: string, sources: Sources): RowType | null {
  if (ts.isParenthesizedTypeNode(type)) return membersOf(type.type, file, sources);
  if (ts.isTypeLiteralNode(type)) return fromMembers(type.members, file, sources);
  if (ts.isIntersectionTypeNode(type)) return merged(type.types.map((one) => membersOf(one, file, sources)));
  if (!ts.isTypeReferenceNode(type) || !ts.isIdentifier(type.typeName)) return null;
  const [of, keys] = type.typeArguments ?? [];
  if (type.typeName.text === 'Readonly' && of) return membersOf(of, file, sources);
  if (['Pick', 'Omit'].includes(type.typeName.text) && of && keys) {
    const all = membersOf(of, file, sources);
    const named = literalsOf(keys);
    if (all === null || named === null) return null;
    return new Map([...all].filter(([key]) => named.has(key) === (type.typeName.getText() === 'Pick')));
  }
  if (of !== undefined) return null;
  const found = sources.named(type.typeName.text, file);
  if (found === undefined) return null;
  if (ts.isTypeAliasDeclaration(found.node)) return membersOf(found.node.type, found.file, sources);
  if (!ts.isInterfaceDeclaration(found.node)) return null;
  const parents = (found.node.heritageClauses ?? []).flatMap(({ types }) =>
    types.map(({ expression, typeArguments }) =>
      ts.isIdentifier(expression)
        ? membersOf(ts.factory.createTypeReferenceNode(expression, typeArguments), found.file, sources)
        : null,
    ),
  );
  return merged([...parents, fromMembers(found.node.members, found.file, sources)]);
}

function fromMembers(members: ts.NodeArray<ts.TypeElement>, file: string, sources: Sources): RowType | null {
  const row = new Map<string, Declared>();
  for (const member of members) {
    if (!ts.isPropertySignature(member) || member.type === undefined) return null;
    const name = ts.isStringLiteralLike(member.name) ? member.name.text : member.name.getText();
    const declared = declaredOf(member.type, file, sources);
    row.set(name, member.questionToken ? { ...declared, isNullable: true, isOptional: true } : declared);
  }
  return row;
}

const OPEN: Declared = { kinds: null, isNullable: true };

function only(kind: string): Declared {
  return { kinds: new Set([kind]), isNullable: false };
}

function declaredOf(type: ts.TypeNode, file: string, sources: Sources, depth = 0): Declared {
  if (ts.isParenthesizedTypeNode(type)) return declaredOf(type.type, file, sources, depth);
  if (type.kind === ts.SyntaxKind.StringKeyword || ts.isTemplateLiteralTypeNode(type)) return only('string');
  if (type.kind === ts.SyntaxKind.NumberKeyword) return only('number');
  if (type.kind === ts.SyntaxKind.BooleanKeyword) return only('boolean');
  if (type.kind === ts.SyntaxKind.UndefinedKeyword) return { kinds: new Set(), isNullable: true };
  if (ts.isTypeOperatorNode(type)) return declaredOf(type.type, file, sources, depth);
  if (ts.isArrayTypeNode(type)) {
    const { kinds } = declaredOf(type.elementType, file, sources, depth);
    return { kinds: kinds && new Set([...kinds].map((kind) => `${kind}[]`)), isNullable: false };
  }
  if (ts.isTypeLiteralNode(type) || ts.isTupleTypeNode(type)) return only('object');
  if (ts.isLiteralTypeNode(type)) {
    if (type.literal.kind === ts.SyntaxKind.NullKeyword) return { kinds: new Set(), isNullable: true };
    if (ts.isStringLiteralLike(type.literal)) return only('string');
    return only(ts.isNumericLiteral(type.literal) ? 'number' : 'boolean');
  }
  if (ts.isUnionTypeNode(type)) {
    const all = type.types.map((each) => declaredOf(each, file, sources, depth));
    const isNullable = all.some((each) => each.isNullable);
    if (all.some(({ kinds }) => kinds === null)) return { kinds: null, isNullable };
    return { kinds: new Set(all.flatMap(({ kinds }) => [...kinds!])), isNullable };
  }
  if (!ts.isTypeReferenceNode(type) || !ts.isIdentifier(type.typeName) || depth > 6) return OPEN;
  const name = type.typeName.text;
  if (name === 'Date' || name === 'Buffer') return only(name);
  const found = type.typeArguments === undefined ? sources.named(name, file) : undefined;
  if (found !== undefined && ts.isTypeAliasDeclaration(found.node) && found.node.typeParameters === undefined)
    return declaredOf(found.node.type, found.file, sources, depth + 1);
  return { kinds: null, isNullable: false };
}

function literalsOf(type: ts.TypeNode): Set<string> | null {
  const all = ts.isUnionTypeNode(type) ? [...type.types] : [type];
  const names = all.flatMap((one) =>
    ts.isLiteralTypeNode(one) && ts.isStringLiteralLike(one.literal) ? [one.literal.text] : [],
  );
  return names.length === all.length ? new Set(names) : null;
}

function merged(rows: (RowType | null)[]): RowType | null {
  const all: [string, Declared][] = [];
  for (const row of rows) {
    if (row === null) return null;
    all.push(...row);
  }
  return new Map(all);
}
