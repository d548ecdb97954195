/** The groups of the catalogue, in the order in which an editor shows them. */
export const categories = {
  triggers: { key: 'triggers', label: 'Start' },
  flow: { key: 'flow', label: 'Flow' },
  human: { key: 'human', label: 'People' },
  data: { key: 'data', label: 'Data' },
  code: { key: 'code', label: 'Code' },
  http: { key: 'http', label: 'HTTP' },
  files: { key: 'files', label: 'Files' },
  platform: { key: 'platform', label: 'Documents and models' },
  messages: { key: 'messages', label: 'Messages' },
} as const;
