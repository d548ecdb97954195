import type { LiveSocket } from './live-socket.js';
import { type RoomServices, SocketRooms } from './socket-rooms.js';
import { type FeedServices, WorkflowFeed } from './workflow-feed.js';

/** The workflow sockets of this replica. */
export class WorkflowChannels extends SocketRooms<LiveSocket, WorkflowFeed> {
  constructor(
    services: RoomServices,
    private readonly feeds: FeedServices,
  ) {
    super('workflow', services);
  }

  /** @param after the last `seq` that the client has; null for a client that comes for the first time. */
  add(workflowId: string, socket: LiveSocket, after: number | null): void {
    this.admit(workflowId, socket, (feed, mayStay) => feed.join(socket, after, mayStay));
  }

  protected override open(workflowId: string, onAccessChange: () => void): WorkflowFeed {
    return new WorkflowFeed(workflowId, this.feeds, onAccessChange);
  }
}
