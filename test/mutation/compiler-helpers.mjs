const HELPERS = new Set(['__decorate', '__metadata', '__param']);

/** What the compiler adds to each file with a decorator is nobody's to test. */
export const strykerPlugins = [
  {
    kind: 'Ignore',
    name: 'compiler-helpers',
    value: {
      shouldIgnore: ({ node }) =>
        node.type === 'VariableDeclarator' && HELPERS.has(node.id.name) ? 'Written by the compiler.' : undefined,
    },
  },
];
