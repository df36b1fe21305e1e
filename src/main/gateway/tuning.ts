/**
 * The constants of the fast path and of the request batcher, with what chose them. Measured with the gateway's bench on two cores that the
 * load generator, the gateway and the upstream share; docs/decisions/0005-gateway-fast-path.md has the figures.
 */

/**
 * Bytes of a request, head included, up to which the fast path serves it. Larger bodies are scanned while they arrive, so that no turn of
 * the event loop takes long; the same bound applies to bodies that node's HTTP server has read.
 */
export const MAX_PLAIN_BYTES = 256 * 1024;

/**
 * Requests with batchable calls that are in flight before further calls wait to be batched. A node answers them under one lock (`cs_main`),
 * so more at a time are not answered sooner; with two, it has the next one before it has answered the last. Four took 36 microseconds of
 * processor time a call instead of 31.
 */
export const MAX_IN_FLIGHT = 2;

/** Calls in one batch. 16 gained nothing over 8. */
export const MAX_BATCH_SIZE = 8;

/** Milliseconds a call waits for others at most, however long the upstream takes: the shortest time that setTimeout keeps. */
export const MAX_DELAY_MS = 1;

/** Characters of parameters up to which a call is batched; an outpoint takes 70. */
export const MAX_PARAMS_LENGTH = 1_024;

/** Milliseconds for which an upstream gets no batch after it answered one in a form of its own. Not measured: a node does not change often. */
export const UNBATCHED_MS = 5 * 60_000;

/** Bytes of a batch's answer up to which it is read. Batchable calls have short answers: eight of them take a few kilobytes. */
export const MAX_BATCH_ANSWER_BYTES = 256 * 1024;
