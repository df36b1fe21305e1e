import type { Server } from 'node:http';

/** Takes connections before node's HTTP server does, and hands it those it does not serve. */
export interface ConnectionHandler {
  /** Takes the connections of a server that does not listen yet. */
  attach(server: Server): void;
  /** Ends idle connections now, the others with their answer or after a second. */
  close(): void;
}
