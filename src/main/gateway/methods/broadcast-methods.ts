import { type MethodRow, optional, text, value } from './method-row.ts';

/** What the miners answer rests on no node. */
export type BroadcastRow = Omit<MethodRow, 'withoutNode'>;

/** Commands that are served only while the setting `gatewayBroadcast` is on; the miners get what they send. */
export const broadcastMethods: ReadonlyMap<string, BroadcastRow> = new Map<string, BroadcastRow>([
  [
    'sendrawtransaction',
    {
      category: 'Rawtransactions',
      parameters: [text('hexstring'), optional(value('allowhighfees')), optional(value('dontcheckfee'))],
      summary: 'Checks a transaction and submits it to the miners.',
      largeParameters: true,
    },
  ],
  [
    'sendrawtransactions',
    {
      category: 'Rawtransactions',
      parameters: [value('inputs', '[{"hex":"hexstring",...},...]'), optional(value('policies'))],
      summary: 'Checks transactions and submits them to the miners.',
      largeParameters: true,
    },
  ],
]);
