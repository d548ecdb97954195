import { Redaction, type ToolCatalogue } from '@app/workflow-definition';

interface Definition {
  jsonSpec: Record<string, unknown>;
  vueflowJson: Record<string, unknown>;
}

/** Names of secrets, whose values do not travel, and schemes before them. */
const NO_LITERAL = /^(?:\s|Basic |Bearer |\{\{\s*_secret\.\w+\s*\}\})*$/;

/**
 * A definition for somebody else: params that hold a secret are emptied, unless they name a secret of the workflow. Where
 * the canvas repeats such a value, it is blotted out.
 */
export function withoutLiteralSecrets({ jsonSpec, vueflowJson }: Definition, catalogue: ToolCatalogue): Definition {
  if (!Array.isArray(jsonSpec.nodes)) return { jsonSpec, vueflowJson };
  const found = new Set<string>();
  const nodes = (jsonSpec.nodes as Record<string, unknown>[]).map((node) => {
    const secrets = secretParams(catalogue, String(node.kind));
    if (secrets.length === 0 || typeof node.params !== 'object' || node.params === null) return node;
    const params = Object.entries(node.params).map(([name, value]): [string, unknown] => {
      if (!secrets.includes(name) || typeof value !== 'string' || NO_LITERAL.test(value)) return [name, value];
      found.add(value);
      return [name, ''];
    });
    return { ...node, params: Object.fromEntries(params) };
  });
  return { jsonSpec: { ...jsonSpec, nodes }, vueflowJson: new Redaction(found).ofValue(vueflowJson) };
}

function secretParams(catalogue: ToolCatalogue, kind: string): string[] {
  const entry = catalogue.find(kind)?.toCatalogueEntry({});
  return entry?.params.filter(({ type }) => type === 'secret').map(({ name }) => name) ?? [];
}
