import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import ts from 'typescript';
import type { Folded } from './folding.js';

/** Where an expression is read: its file, and what the parameters of the functions around it stand for. */
export interface Scope {
  readonly file: string;
  readonly bound: ReadonlyMap<string, Folded>;
}

export interface Found {
  readonly value: ts.Expression;
  readonly scope: Scope;
}

export interface FoundFunction {
  readonly parameters: readonly ts.ParameterDeclaration[];
  readonly returned: ts.Expression;
  readonly scope: Scope;
}

/** Tests, and the schema itself. */
const NOT_READ = /\.spec(-support)?\.ts$|\.bench\.ts$|\/entities\/src\/(migrations|functions)\//;
const NO_BINDINGS: ReadonlyMap<string, Folded> = new Map();

/** The sources of apps and libs that run, by path from the root; read once, without types. */
export class Sources {
  readonly files: readonly string[];
  private readonly parsed = new Map<string, ts.SourceFile>();
  private readonly declared = new Map<string, Map<string, ts.Node>>();

  constructor(private readonly root = resolve(__dirname, '../../..')) {
    this.files = globSync('{apps,libs}/*/src/**/*.ts', { cwd: root })
      .filter((path) => !NOT_READ.test(path))
      .sort();
  }

  parse(file: string): ts.SourceFile {
    let source = this.parsed.get(file);
    if (source === undefined) {
      source = ts.createSourceFile(file, readFileSync(join(this.root, file), 'utf8'), ts.ScriptTarget.ES2023, true);
      this.parsed.set(file, source);
    }
    return source;
  }

  constant(name: ts.Identifier, scope: Scope): Found | undefined {
    const local = localConstant(name);
    if (local !== undefined) return { value: local, scope };
    const found = this.named(name.text, scope.file);
    return found !== undefined && ts.isVariableDeclaration(found.node) && found.node.initializer !== undefined
      ? { value: found.node.initializer, scope: { file: found.file, bound: NO_BINDINGS } }
      : undefined;
  }

  /** `NAMES.one` of an object or list that is written down; every member where only the program knows which. */
  members(node: ts.PropertyAccessExpression | ts.ElementAccessExpression, scope: Scope): Found[] {
    const object = this.written(node.expression, scope);
    if (object === undefined) return [];
    const asked = ts.isPropertyAccessExpression(node)
      ? node.name.text
      : ts.isStringLiteralLike(node.argumentExpression) || ts.isNumericLiteral(node.argumentExpression)
        ? node.argumentExpression.text
        : undefined;
    if (ts.isArrayLiteralExpression(object.value))
      return object.value.elements
        .filter((_, at) => asked === undefined || asked === String(at))
        .map((value) => ({ value, scope: object.scope }));
    if (!ts.isObjectLiteralExpression(object.value)) return [];
    return object.value.properties.flatMap((member) =>
      ts.isPropertyAssignment(member) && (asked === undefined || nameOf(member.name) === asked)
        ? [{ value: member.initializer, scope: object.scope }]
        : [],
    );
  }

  /** The object or list behind an expression, without what TypeScript says of its type. */
  private written(node: ts.Expression, scope: Scope): Found | undefined {
    if (
      ts.isAsExpression(node) ||
      ts.isSatisfiesExpression(node) ||
      ts.isNonNullExpression(node) ||
      ts.isParenthesizedExpression(node)
    )
      return this.written(node.expression, scope);
    if (ts.isIdentifier(node)) {
      const found = this.constant(node, scope);
      return found && this.written(found.value, found.scope);
    }
    if (ts.isPropertyAccessExpression(node) || ts.isElementAccessExpression(node)) {
      const [found, ...more] = this.members(node, scope);
      return found !== undefined && more.length === 0 ? this.written(found.value, found.scope) : undefined;
    }
    return { value: node, scope };
  }

  function(name: ts.Identifier, scope: Scope): FoundFunction | undefined {
    const found = this.named(name.text, scope.file);
    const node = found && (ts.isVariableDeclaration(found.node) ? found.node.initializer : found.node);
    if (found === undefined || node === undefined) return undefined;
    if (!ts.isFunctionDeclaration(node) && !ts.isArrowFunction(node)) return undefined;
    const returned = node.body && ts.isBlock(node.body) ? onlyReturned(node.body) : node.body;
    if (returned === undefined) return undefined;
    return { parameters: node.parameters, returned, scope: { file: found.file, bound: NO_BINDINGS } };
  }

  private named(name: string, file: string, depth = 0): { node: ts.Node; file: string } | undefined {
    if (depth > 6) return undefined;
    const declared = this.declarations(file);
    const node = declared.get(name);
    if (node !== undefined && !ts.isImportSpecifier(node) && !ts.isExportSpecifier(node)) return { node, file };
    if (node !== undefined) {
      const from = ts.isImportSpecifier(node) ? node.parent.parent.parent : node.parent.parent;
      const target = this.target(file, from.moduleSpecifier);
      return target === undefined ? undefined : this.named((node.propertyName ?? node.name).text, target, depth + 1);
    }
    for (const statement of this.parse(file).statements) {
      if (!ts.isExportDeclaration(statement) || statement.exportClause !== undefined) continue;
      const target = this.target(file, statement.moduleSpecifier);
      const found = target === undefined ? undefined : this.named(name, target, depth + 1);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  private declarations(file: string): Map<string, ts.Node> {
    let names = this.declared.get(file);
    if (names !== undefined) return names;
    names = new Map();
    for (const statement of this.parse(file).statements) {
      if (ts.isVariableStatement(statement))
        for (const declaration of statement.declarationList.declarations)
          names.set(declaration.name.getText(), declaration);
      else if (ts.isFunctionDeclaration(statement) && statement.name) names.set(statement.name.text, statement);
      else if (ts.isImportDeclaration(statement) || ts.isExportDeclaration(statement)) {
        const clause = ts.isImportDeclaration(statement)
          ? statement.importClause?.namedBindings
          : statement.exportClause;
        if (clause !== undefined && (ts.isNamedImports(clause) || ts.isNamedExports(clause)))
          for (const one of clause.elements) if (!names.has(one.name.text)) names.set(one.name.text, one);
      }
    }
    this.declared.set(file, names);
    return names;
  }

  private target(file: string, module: ts.Expression | undefined): string | undefined {
    if (module === undefined || !ts.isStringLiteral(module)) return undefined;
    const lib = /^@app\/([\w-]+)$/.exec(module.text)?.[1];
    const path =
      lib === undefined
        ? module.text.startsWith('.')
          ? join(dirname(file), module.text).replace(/\.js$/, '.ts')
          : undefined
        : `libs/${lib}/src/index.ts`;
    return path !== undefined && existsSync(join(this.root, path)) ? path : undefined;
  }
}

function nameOf(name: ts.PropertyName): string {
  return ts.isStringLiteralLike(name) || ts.isIdentifier(name) || ts.isNumericLiteral(name)
    ? name.text
    : name.getText();
}

/** A `const` of the functions around a name. */
function localConstant(name: ts.Identifier): ts.Expression | undefined {
  for (let at: ts.Node = name.parent; at.parent !== undefined && !ts.isSourceFile(at); at = at.parent) {
    if (!ts.isBlock(at)) continue;
    for (const statement of at.statements) {
      if (!ts.isVariableStatement(statement) || !(statement.declarationList.flags & ts.NodeFlags.Const)) continue;
      for (const one of statement.declarationList.declarations)
        if (ts.isIdentifier(one.name) && one.name.text === name.text && !contains(one, name)) return one.initializer;
    }
  }
  return undefined;
}

function contains(outer: ts.Node, inner: ts.Node): boolean {
  return outer.pos <= inner.pos && inner.end <= outer.end;
}

/** The value of a function that has one `return`, as its last statement. */
function onlyReturned(body: ts.Block): ts.Expression | undefined {
  const last = body.statements.at(-1);
  if (last === undefined || !ts.isReturnStatement(last)) return undefined;
  const plain = body.statements.slice(0, -1).every((statement) => ts.isVariableStatement(statement));
  return plain ? last.expression : undefined;
}
