import { optional, type RefusedRow, text, value } from './method-row.ts';

/** Commands that the gateway answers with -32601. Those with a help text are served by the sandbox's node. */
export const refusedMethods: Readonly<Record<string, RefusedRow>> = {
  sendrawtransaction: {
    sends: true,
    help: {
      category: 'Rawtransactions',
      parameters: [text('hexstring'), optional(value('allowhighfees')), optional(value('dontcheckfee'))],
      summary: 'Validates a transaction and takes it into the mempool.',
    },
  },
  sendrawtransactions: { sends: true },
  sendtoaddress: { sends: true },
  sendfrom: { sends: true },
  sendmany: { sends: true },
  submitblock: { sends: true },
  submitminingsolution: { sends: true },
  generate: {
    sends: true,
    help: {
      category: 'Generating',
      parameters: [value('nblocks'), optional(value('maxtries'))],
      summary: 'Mines blocks at once; their coinbases pay the faucet.',
    },
  },
  generatetoaddress: {
    sends: true,
    help: {
      category: 'Generating',
      parameters: [value('nblocks'), text('address'), optional(value('maxtries'))],
      summary: 'Mines blocks at once; their coinbases pay a test network address.',
    },
  },
  invalidateblock: {
    help: {
      category: 'Blockchain',
      parameters: [text('blockhash')],
      summary: 'Declares a block and what follows it invalid, as if it broke a rule of the chain.',
    },
  },
  reconsiderblock: {
    help: {
      category: 'Blockchain',
      parameters: [text('blockhash')],
      summary: 'Takes invalidateblock back, for the block and for what follows it.',
    },
  },
};
