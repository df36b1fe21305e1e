/** Topics of a node (node-rpc.md section 7). */
export const zmqTopics = [
  'hashblock',
  'rawblock',
  'hashtx',
  'rawtx',
  'hashblock2',
  'rawblock2',
  'hashtx2',
  'rawtx2',
  'discardedfrommempool',
  'removedfrommempoolblock',
  'invalidtx',
] as const;

export type ZmqTopic = (typeof zmqTopics)[number];
