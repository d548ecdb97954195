// What the platform does again and again, as its own services do it.
import { randomUUID } from 'node:crypto';

const { createUser } = await import('../../support/workflows.ts');
const { addIndexedDocument } = await import('../../support/retrieval.ts');
const { LooseFiles } = await import('@app/entitlements');
const { DocumentLifecycle, findQueuePositions, indexingWork, UnpublishedDocuments } = await import('@app/documents');
const { EntitlementResolver, StorageQuota } = await import('@app/entitlements');
const { foldTotals } = await import('@app/entities');
const { NoEmbeddings, NoReranker } = await import('@app/integrations');
const { Relay } = await import('@app/queues');
const { KeywordSearch, NameSearch, Retriever, VectorSearch } = await import('@app/retrieval');
const {
  PostgresRunStore,
  RequestRetention,
  RevisionRetention,
  RunRetention,
  RunSweeper,
  WebhookRequests,
  WorkflowTrash,
} = await import('@app/workflows');
const { WorkClaims } = await import('@app/work');
const { IdempotencyStore } = await import('../../../libs/auth/dist/calls/idempotency.store.js');
const { ScopeCounter } = await import('../../../libs/retrieval/dist/search/scope-totals.js');

const named = (probes, dataSource) => Object.entries(probes).map(([name, work]) => [name, { dataSource, work }]);

/**
 * @param { documents, workflows } the containers of two parts of the platform
 * @returns probes by name, each with the container's connections that it uses
 */
export function createProbes({ documents, workflows, ownerId, readerId, workflowId }) {
  const [ofDocuments, ofWorkflows] = [documents.dataSource, workflows.dataSource];
  const quota = new StorageQuota(ofDocuments, workflows.get(EntitlementResolver), { storageGate: true });
  const retriever = new Retriever(
    ofDocuments,
    new NoEmbeddings(),
    new NoReranker(),
    new KeywordSearch(ofDocuments),
    new VectorSearch(ofDocuments),
    new NameSearch(ofDocuments),
  );
  const claims = documents.get(WorkClaims);
  const unpublished = documents.get(UnpublishedDocuments);
  const idempotency = new IdempotencyStore(ofDocuments);
  const documentsProbes = {
    'search by somebody with few documents': () =>
      retriever.search({
        viewer: { userId: readerId },
        query: 'zebra crossing',
        mode: 'hybrid',
        limit: 10,
        names: true,
      }),
    "viewer's totals of somebody with all documents": () =>
      new ScopeCounter(ofDocuments).count({ userId: ownerId }, {}),
    'upload: storage of its owner': async () => (await quota.reserve(ownerId, 1)).release(),
    'upload: the document': () => documents.add(),
    'sweep of lost documents': () => claims.showLost(indexingWork),
    'sweep of lost jobs': () => claims.listForgotten([indexingWork]),
    'sweep of forgotten documents': () => unpublished.publishForgotten(),
    'sweep of refused documents': () => unpublished.retryPublishing(),
    'sweep of the trash': () => documents.get(DocumentLifecycle).purgeDue(50),
    'sweep of loose files': () => documents.get(LooseFiles).removeDue(),
    'sweep of idempotency keys': () => idempotency.purge(),
    'sweep of expired reservations': () => quota.removeExpired(),
    'sweep of the outbox': () => documents.get(Relay).deliverDue(),
    'sweep of totals': () => foldTotals(ofDocuments),
    'queue position of a document': async () => {
      const uid = await addIndexedDocument(ofDocuments, { ownerId: readerId, pages: [], generation: null });
      await findQueuePositions(ofDocuments, [uid]);
      await ofDocuments.query('DELETE FROM documents WHERE uid = $1', [uid]);
    },
    'deletion of another account': async () => {
      const id = await createUser(ofDocuments);
      await ofDocuments.query('DELETE FROM users WHERE id = $1', [id]);
    },
  };
  const workflowsProbes = {
    'sweep of runs': () => workflows.get(RunSweeper).sweep(),
    'runs given back by a stopping worker': () => workflows.get(PostgresRunStore).releaseAll(`worker:${randomUUID()}`),
    'retention of runs': () => workflows.get(RunRetention).sweep(),
    'retention of revisions': () => workflows.get(RevisionRetention).thinOut(),
    'retention of webhook requests': () => new RequestRetention(ofWorkflows, 30).removeSome(),
    'sweep of trashed workflows': () => workflows.get(WorkflowTrash).purgeDue(20),
    'listing of a webhook queue': () => workflows.get(WebhookRequests).list(ownerId, workflowId, 50),
  };
  return Object.fromEntries([...named(documentsProbes, ofDocuments), ...named(workflowsProbes, ofWorkflows)]);
}
