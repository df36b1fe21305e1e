import type { ErrorEntries } from '../../entry.ts';

export const gatewayErrors = {
  'gateway.cookie-unwritable': {
    code: 'store-failed',
    message: 'The file {file} cannot be written: {reason}',
    hint: 'Check that the data folder belongs to you and that its disk has room.',
  },
  'gateway.credential-wrong': {
    code: 'unauthorized',
    message: 'The credential is missing or wrong.',
    hint: 'Gateway, Connect shows the right one; a key may have expired or been revoked.',
  },
  'gateway.needs-node': {
    code: 'upstream-unreachable',
    retryable: false,
    message: '{method} in this form needs a node: it cannot be answered from headers and public services.',
    hint: 'Set bitcoinRpcUrl to the address of a node, or use another command.',
  },
  'gateway.block-too-long': {
    code: 'upstream-unreachable',
    retryable: false,
    message: 'Block {hash} has {count} transactions; at most {limit} are read one by one from public services.',
    hint: 'Raise gatewayBlockTransactions, or set bitcoinRpcUrl to the address of a node.',
  },
  'gateway.block-broken-off': {
    code: 'upstream-error',
    message: 'No public service has transaction {txid} of the block.',
    hint: 'Try again later, or set bitcoinRpcUrl to the address of a node.',
  },
  'gateway.key-budget-near': {
    code: 'quota-exceeded',
    message: 'The key “{name}” has made {calls} of the {limit} calls that it may make in a day.',
    hint: 'What it asks beyond that is refused until midnight UTC. Gateway, Keys shows what each key calls.',
  },
  'gateway.key-budget-used': {
    code: 'quota-exceeded',
    message: 'The key “{name}” has made the {limit} calls that it may make in a day. Further ones are refused.',
    hint: 'It may call again after midnight UTC; or make a key that may make more under Gateway, Keys.',
  },
  'gateway.share-used': {
    code: 'quota-exceeded',
    message: 'Public services take a few requests a second, and {name} has as many waiting as it can have.',
    hint: 'Try again in {seconds} seconds. A node takes more: set bitcoinRpcUrl.',
  },
  'gateway.looked-for-another': {
    code: 'quota-exceeded',
    message: 'Older headers are looked for one block after the other, and this one was not yet.',
    hint: 'Try again in a few seconds, or read all headers once: planchet headers sync --from 0',
  },
  'gateway.one-operator': {
    code: 'upstream-error',
    message: 'Only one public service answered, and that alone shows nothing here.',
    hint: 'Try again later, and see which sources answer: planchet headers status',
  },
  'gateway.output-disputed': {
    code: 'upstream-error',
    message: 'The output may be spent: {sources} names a transaction that nobody has.',
    hint: 'Try again later, or ask a node: set bitcoinRpcUrl.',
  },
  'gateway.tip-not-agreed': {
    code: 'upstream-error',
    message: 'The public services do not agree on the newest block, so nothing is answered that depends on it.',
    hint: 'Planchet asks again on its own. See which source names which block: planchet headers status',
  },
  'gateway.sources-silent': {
    code: 'upstream-error',
    message: 'None of the public services answers.',
    hint: 'Planchet asks again on its own. See that this computer is on the internet, and that its proxy lets Planchet through.',
  },
  'gateway.header-not-here': {
    code: 'upstream-error',
    message: 'The header at height {height} is not on this computer.',
    hint: 'Read the older headers once: planchet headers sync --from 0',
  },
  'gateway.path-unknown': {
    code: 'not-found',
    message: 'There is no such path.',
    hint: 'Commands are sent to the path /, and REST paths begin with /rest/.',
  },
  'gateway.key-expired': {
    code: 'invalid-input',
    message: 'The key would already have expired.',
    hint: 'Choose an end in the future, or none.',
  },
  'gateway.key-missing': {
    code: 'not-found',
    message: 'There is no such key.',
    hint: 'Look at the list of keys.',
  },
  'gateway.withdrawn-too-long': {
    code: 'not-found',
    message: 'What was revoked can no longer be put back.',
    hint: 'It is back already, or was revoked more than a day ago. Create a new key, or allow the page again.',
  },
  'gateway.key-name-taken': {
    code: 'conflict',
    message: 'There is a key named "{name}" already.',
    hint: 'Choose another name, or revoke that key first.',
  },
  'gateway.method-unknown': {
    code: 'invalid-input',
    message: 'The gateway has no command "{method}".',
    hint: 'Call the command help to see all commands.',
  },
  'gateway.origin-invalid': {
    code: 'invalid-input',
    message: '"{origin}" is not the origin of a web page.',
    hint: 'Write scheme, host and port as the browser sends them, for example https://app.example or http://localhost:5173.',
  },
  'gateway.pairing-gone': {
    code: 'not-found',
    message: 'This page is no longer waiting.',
    hint: 'Let it ask again.',
  },
  'gateway.parameters-gone': {
    code: 'not-found',
    message: 'The parameters of this call are no longer in memory.',
    hint: 'At most {each} MB of a call are stored, {total} MB in all.',
  },
  'gateway.call-gone': {
    code: 'not-found',
    message: 'This call is no longer in memory.',
    hint: 'The last 10,000 calls are kept, until the gateway stops.',
  },
  'gateway.replay-masked': {
    code: 'rejected',
    message: 'This call holds a secret, so it is not sent again.',
    hint: 'Send it again from the program that it came from.',
  },
  'gateway.too-many-keys': {
    code: 'conflict',
    message: 'There are {limit} keys already.',
    hint: 'Revoke some first.',
  },
  'gateway.too-many-origins': {
    code: 'conflict',
    message: '{limit} web pages are paired already.',
    hint: 'Unpair some first.',
  },
  'gateway.zmq-address-unusable': {
    code: 'upstream-unreachable',
    retryable: false,
    message: 'The ZMQ address {address} cannot be used: {reason}',
    hint: 'Set bitcoinZmqUrl to an address such as tcp://node.example:28332, or to nothing.',
  },
  'gateway.zmq-not-running': {
    code: 'not-running',
    message: 'The ZMQ feed is not running.',
    hint: 'The reason is at its dot at the top of the window.',
  },
  'gateway.certificate-unchecked': {
    code: 'settings-invalid',
    message: 'The certificate of the upstream node is not checked: ignoreCertificate is on.',
    hint: 'Turn ignoreCertificate off once the node has a certificate that is trusted.',
  },
  'gateway.cut-off': {
    code: 'upstream-unreachable',
    message: 'No upstream node can be asked. {reason}',
    hint: 'Check bitcoinRpcUrl and that a node of it is running.',
  },
  'gateway.zmq-polled': {
    code: 'settings-invalid',
    message:
      'No upstream is named in bitcoinZmqUrl: while anybody subscribes, the chain is polled every second, and only hashblock, rawblock, hashtx and rawtx are published.',
    hint: 'Set bitcoinZmqUrl to the ZMQ address of your node to relay the other topics too.',
  },
  'gateway.zmq-held': {
    code: 'upstream-unreachable',
    message: 'Nothing is relayed until an upstream node is found to be on the chain of the network.',
    hint: 'Check bitcoinRpcUrl and that its node belongs to this network.',
  },
  'gateway.zmq-away': {
    code: 'upstream-unreachable',
    message: 'The ZMQ upstream {address} is away: {reason}.',
    hint: 'Check bitcoinZmqUrl and that the node publishes there.',
  },
  'gateway.zmq-doubt': {
    code: 'conflict',
    message:
      'The ZMQ upstream {address} announces blocks that no RPC upstream has, such as {hash}. It is on another chain, or they are behind.',
    hint: 'Check that bitcoinZmqUrl and bitcoinRpcUrl belong to the same network.',
  },
  'gateway.not-running': {
    code: 'not-running',
    message: 'The gateway is not running.',
    hint: 'Restart the gateway service.',
  },
} as const satisfies ErrorEntries;
