/** ZMTP 3.0 and 3.1 over TCP: a publisher and a subscriber. README.md describes both. Other folders import this file only. */
export { messageOf } from './frames.ts';
export { Memory, MemoryPool, pieceOf } from './memory.ts';
export { HEAD_BYTES, Message } from './message.ts';
export { Publisher } from './publisher.ts';
export { Subscription, type SubscriptionOptions } from './subscription.ts';
