/** The groups of the catalogue, in the order in which an editor shows them. */
export const categories = {
  triggers: { key: 'triggers', label: 'Start' },
  logic: { key: 'logic', label: 'Flow' },
  data: { key: 'data', label: 'Data' },
  lists: { key: 'lists', label: 'Lists' },
  documents: { key: 'documents', label: 'Documents' },
  models: { key: 'models', label: 'Models' },
} as const;
