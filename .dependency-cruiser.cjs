/**
 * The dependency rules of the monorepo: a lib imports lower rows only, apps never import each other,
 * and another workspace is entered by its front door (`@app/<name>`) alone.
 */
const rows = [
  ['common'],
  ['config', 'contracts', 'isolation', 'workflow-definition'],
  ['observability'],
  ['entities', 'queues', 'live', 'integrations'],
  ['work'],
  ['secrets', 'audit'],
  ['messages', 'erasure'],
  ['auth', 'access', 'models'],
  ['entitlements'],
  ['billing'],
  ['documents', 'extraction', 'retrieval', 'tabular', 'workflows', 'workflow-tools', 'mcp', 'data-sources'],
  ['artifacts'],
  ['agents'],
  ['dedicated-agent'],
];
/** Edges inside one row, or upwards, that are wanted. */
const sameRowAllowed = { queues: ['entities'] };

const layering = rows.flatMap((row, index) =>
  row.map((lib) => {
    const lower = [...rows.slice(0, index).flat(), ...(sameRowAllowed[lib] ?? []), lib];
    return {
      name: `layers-${lib}`,
      severity: 'error',
      comment: `libs/${lib} may import only: ${lower.join(', ')}`,
      from: { path: `^libs/${lib}/src/` },
      to: { path: '^libs/', pathNot: `^libs/(${lower.join('|')})/` },
    };
  }),
);

const frontDoors = rows.flat().map((lib) => ({
  name: `front-door-${lib}`,
  severity: 'error',
  comment: `others import @app/${lib}, never its inner files`,
  from: { path: '^(apps|libs)/', pathNot: `^libs/${lib}/` },
  to: { path: `^libs/${lib}/`, pathNot: `^libs/${lib}/(src|dist)/(index|kit|stripe)[.]` },
}));

const apps = ['api', 'indexer', 'workflow-runner'].map((app) => ({
  name: `app-${app}-alone`,
  severity: 'error',
  comment: 'apps never import each other, and libs never import apps',
  from: { pathNot: `^apps/${app}/` },
  to: { path: `^apps/${app}/` },
}));

module.exports = {
  forbidden: [
    {
      name: 'no-circular',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      name: 'common-is-pure',
      severity: 'error',
      from: { path: '^libs/(common|contracts|workflow-definition)/src/', pathNot: '[.]spec[.]ts$' },
      to: { path: 'node_modules/(@nestjs|typeorm|bull|ioredis|pg)/' },
    },
    {
      name: 'sandbox-is-light',
      severity: 'error',
      comment:
        'processes of the sandbox load what kinds are made of, not the import and the checks: @app/workflow-definition/kit',
      from: {
        path: '^libs/workflow-tools/src/(data|lists|code|sandbox|expression|triggers)/|^libs/workflow-tools/src/(params|comparison)[.]ts$',
        pathNot: '[.]spec',
      },
      to: { path: '^libs/workflow-definition/src/index[.]' },
    },
    ...layering,
    ...frontDoors,
    ...apps,
  ],
  options: {
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.test.json' },
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '/dist/' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['@app/source', 'import', 'types', 'node', 'default'],
    },
  },
};
