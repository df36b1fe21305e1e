import type { ErrorEntries } from '../../entry.ts';

export const upstreamErrors = {
  'upstream.answer-cut-off': {
    code: 'upstream-error',
    message: 'The upstream node cut off its answer.',
    hint: 'Try again. If this keeps happening, check that nothing in between cuts connections.',
  },
  'upstream.answer-too-large': {
    code: 'upstream-error',
    retryable: false,
    message: 'The node at {origin} sent more in one answer than is read here.',
    hint: 'Ask for less at once, for example for a block header instead of a block.',
  },
  'upstream.broke-off': {
    code: 'upstream-error',
    message: 'The node at {origin} broke off its answer.',
    hint: 'Check that the node of bitcoinRpcUrl is running and that nothing in between cuts connections.',
  },
  'upstream.busy': {
    code: 'upstream-error',
    message:
      'The node at {origin} accepts no more calls for now (HTTP {status}){words}. It is asked again in {retryAfter} s.',
    hint: 'Call less often, raise the limit there, or name further nodes in bitcoinRpcUrl.',
  },
  'upstream.call-cancelled': {
    code: 'cancelled',
    message: 'The call to the node was cancelled.',
  },
  'upstream.certificate-untrusted': {
    code: 'upstream-unreachable',
    retryable: false,
    message: 'The certificate of {origin} is not trusted: {reason}.',
    hint: 'Check bitcoinRpcUrl. For a node of your own with its own certificate, ignoreCertificate turns the check off.',
  },
  'upstream.height-doubtful': {
    code: 'upstream-error',
    message: 'The node at {origin} claims height {height}, but {seen}.',
    hint: 'It is asked after the others. Remove it from bitcoinRpcUrl unless you know why.',
  },
  'upstream.http-error': {
    code: 'upstream-error',
    message: 'The node at {origin} says (HTTP {status}): {reason}',
    hint: 'A proxy or other server in between may say more in its log.',
  },
  'upstream.network-timeout': {
    code: 'upstream-timeout',
    message: 'The node at {origin} did not report which chain it is on within {seconds} s.',
    hint: 'Check bitcoinRpcUrl and the network, or allow more time with bitcoinTimeout.',
  },
  'upstream.network-unknown': {
    code: 'upstream-error',
    message: 'The node at {origin} does not report which chain it is on.',
    hint: 'Check that the address is the RPC address of a full node that answers getblockchaininfo.',
  },
  'upstream.not-asked': {
    code: 'upstream-timeout',
    message: 'The node at {origin} was not asked: it did not answer earlier calls in time.',
    hint: 'It is asked again as soon as it answers. Check bitcoinRpcUrl and the network, or allow more time with bitcoinTimeout.',
  },
  'upstream.no-rest': {
    code: 'upstream-error',
    message: 'The node at {origin} did not answer a REST path (HTTP {status}).',
    hint: 'Check that bitcoinRpcUrl is the address of a node and that its key is right for the active network.',
  },
  'upstream.no-tip': {
    code: 'upstream-error',
    message: 'The upstream node does not report its tip the way a node does.',
    hint: 'Check that bitcoinRpcUrl is the RPC address of a node.',
  },
  'upstream.none': {
    code: 'upstream-unreachable',
    retryable: false,
    message: 'No upstream node is set.',
    hint: 'Use the sandbox, or set bitcoinRpcUrl to the address of a node: planchet settings set bitcoinRpcUrl http://user:password@127.0.0.1:18332',
  },
  'upstream.not-http': {
    code: 'upstream-error',
    message: 'The node at {origin} sent an answer that is not HTTP: {reason}.',
    hint: 'Check that bitcoinRpcUrl is the RPC address of a node.',
  },
  'upstream.not-json-rpc': {
    code: 'upstream-error',
    message: 'The node at {origin} sent something that is not a JSON-RPC answer (HTTP {status}).',
    hint: 'Check that bitcoinRpcUrl is the RPC address of a node, with its path.',
  },
  'upstream.test-gateway-refused': {
    code: 'upstream-error',
    message: '{method} is refused: {reason}',
    hint: 'The gateway passes on the answer of its upstream: see the message of the upstream above.',
  },
  'upstream.test-gateway-unauthorized': {
    code: 'unauthorized',
    message: 'The credential is refused (HTTP {status}).',
    hint: 'User name or password were changed in the settings since it started: restart the gateway service.',
  },
  'upstream.test-no-answer': {
    code: 'upstream-error',
    message: 'The call was not answered: {reason}',
    hint: 'Check that the address is the RPC address of a node, and that nothing between cuts connections.',
  },
  'upstream.node-commands': {
    code: 'upstream-error',
    message: 'The node does not offer {commands}, which Planchet needs.',
    hint: 'Allow these commands at the node or at the proxy in front of it, or name another node.',
  },
  'upstream.node-pruned': {
    code: 'upstream-error',
    message:
      'The node is pruned: it has only the newest blocks, so no wallet can be restored from it and old transactions have no proof.',
    hint: 'Set chainData to both, so that public services are asked for the rest; or start the node with prune=0 and let it load the chain again, or name one that stores all blocks.',
  },
  'upstream.node-no-txindex': {
    code: 'upstream-error',
    message: 'The node has no index of transactions: it does not find those that are spent.',
    hint: 'Set txindex=1 in its bitcoin.conf and start it once with -reindex, or name another node.',
  },
  'upstream.test-no-height': {
    code: 'upstream-error',
    message: 'The reply to getblockcount is not a block height.',
    hint: 'Check that the address is the RPC address of a node, with its path.',
  },
  'upstream.test-not-json-rpc': {
    code: 'upstream-error',
    message: 'The reply is not JSON-RPC (HTTP {status}).',
    hint: 'Check that the address is the RPC address of a node, with its path.',
  },
  'upstream.test-refused': {
    code: 'upstream-error',
    message: '{method} is refused: {reason}',
    hint: 'Check that the address is that of a full node and that it has finished starting.',
  },
  'upstream.test-unauthorized': {
    code: 'unauthorized',
    message: 'The credential is refused (HTTP {status}).',
    hint: 'Check user and password in bitcoinRpcUrl, or the apiKey, for the active network.',
  },
  'upstream.test-wrong-network': {
    code: 'upstream-error',
    message: 'It is on the chain "{chain}", which is not the active network’s.',
    hint: 'Set bitcoinRpcUrl to a node of the active network, or switch the network.',
  },
  'upstream.timeout': {
    code: 'upstream-timeout',
    message: 'The node at {origin} did not answer within {seconds} s.',
    hint: 'Check bitcoinRpcUrl and the network, or allow more time with bitcoinTimeout.',
  },
  'upstream.unavailable': {
    code: 'upstream-error',
    message: 'The node at {origin} is not available at the moment (HTTP {status}){words}.',
    hint: 'It is asked again by itself. If it stays so, look at the node and at any proxy in front of it.',
  },
  'upstream.unauthorized': {
    code: 'upstream-error',
    retryable: false,
    message: 'The node at {origin} refused the credential (HTTP {status}).',
    hint: 'Check user and password in bitcoinRpcUrl, or the apiKey, for the active network.',
  },
  'upstream.unreachable': {
    code: 'upstream-unreachable',
    message: 'The node at {origin} cannot be reached: {reason}.',
    hint: 'Check bitcoinRpcUrl and that the node is running.',
  },
  'upstream.wrong-answer': {
    code: 'upstream-error',
    message: 'The node at {origin} answered a different call.',
    hint: 'Check that nothing between Planchet and the node mixes up answers.',
  },
  'upstream.wrong-network': {
    code: 'upstream-error',
    retryable: false,
    message: 'The node at {origin} is on another chain than "{network}": {why}.',
    hint: 'Set bitcoinRpcUrl to nodes of the active network, or switch the network.',
  },
  'upstream.test-gateway-unreachable': {
    code: 'upstream-unreachable',
    message: '{host} cannot be reached: {reason}',
    hint: 'Restart the gateway service.',
  },
  'upstream.test-unreachable': {
    code: 'upstream-unreachable',
    message: '{host} cannot be reached: {reason}',
    hint: 'Check host and port in bitcoinRpcUrl, that the node is running, and that no firewall blocks the connection.',
  },
  'upstream.test-certificate': {
    code: 'upstream-unreachable',
    message: 'No secure connection to {host}: {reason}',
    hint: 'For a node of your own with its own certificate, ignoreCertificate turns the check off.',
  },
  'upstream.test-no-tls': {
    code: 'upstream-unreachable',
    message: 'No secure connection to {host}: {reason}',
    hint: 'Check that the address speaks TLS; plain nodes need http:// instead of https://.',
  },
  'upstream.behind': {
    code: 'upstream-error',
    message: 'The node at {origin} {difference}.',
    hint: 'Wait until it has caught up, or check the other upstreams of bitcoinRpcUrl. gatewayOldAnswers lets old answers through.',
  },
  'upstream.behind-others-silent': {
    code: 'upstream-error',
    message: 'The node at {origin} {difference}. Another upstream does not answer: {also}',
    hint: 'Wait until it has caught up, or check the other upstreams of bitcoinRpcUrl. gatewayOldAnswers lets old answers through.',
  },
} as const satisfies ErrorEntries;
