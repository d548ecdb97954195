export { JobQueues, type JobMessage } from './job-queues.js';
export { HandlesJob } from './handles-job.js';
export { JobWorkers } from './job-workers.js';
export { Outbox, type DeliveryListener, type OutboxReceipt, type Refusal } from './outbox.js';
export { PeriodicTasks } from './periodic-tasks.js';
export { QueuesModule } from './queues.module.js';
export { Relay } from './relay.js';
export { SoleTasks } from './sole-tasks.js';
