import type { ErrorEntries } from '../../entry.ts';

export const networksErrors = {
  'networks.in-use': {
    code: 'conflict',
    message: 'Planchet runs on the {network} network now.',
    hint: 'Use the wallet page: it shows the wallet of this network.',
  },
  'networks.incomplete': {
    code: 'conflict',
    message: 'The {network} network is not ready. Missing: {missing}.',
    hint: 'Add what is missing under the network badge at the top of the window, or name it as not needed there.',
  },
  'networks.last-source': {
    code: 'conflict',
    message: 'This is the last public service that is asked about the chain of this network.',
    hint: 'Switch another one on first, or set the address of your own node.',
  },
  'networks.source-key-plain': {
    code: 'invalid-input',
    message: 'A key would be readable on the way to {address}.',
    hint: 'Use an address that begins with https://, or one of this machine.',
  },
  'networks.named-for-this-run': {
    code: 'conflict',
    message: 'The network of this run is named by the command line or PLANCHET_NETWORK, so it cannot be changed.',
    hint: 'Start Planchet without --network, --set network=… and PLANCHET_NETWORK.',
  },
  'networks.not-a-network-setting': {
    code: 'settings-invalid',
    message: '{key} is the same on every network.',
    hint: 'Change it under Settings.',
  },
  'networks.real-money': {
    code: 'conflict',
    message: 'The main network moves real money, so the change to it is confirmed first. Missing on it: {missing}.',
    hint: 'Type its name under the network badge at the top of the window, or run: planchet settings set network main --yes-main',
  },
  'networks.sandbox-ready': {
    code: 'conflict',
    message: 'The sandbox makes its own wallet, which is worthless.',
    hint: 'Nothing has to be made for it.',
  },
  'networks.no-sandbox': {
    code: 'upstream-unreachable',
    message: 'No sandbox of Planchet answers at {url}: {reason}.',
    hint: 'Start the other installation with: planchet serve --network sandbox. Its line "Sandbox" has the address, for example http://127.0.0.1:9600.',
  },
  'networks.other-sandbox': {
    code: 'conflict',
    message: 'The sandbox at {url} has another chain than the one that this data folder followed.',
    hint: 'Join it with a data folder of its own (--data-dir), or end Planchet and remove the folder "private" of this one: coins on it are lost with it.',
  },
  'networks.join-elsewhere': {
    code: 'usage',
    message: '--join is for the private network, and this run is on the {network} network.',
    hint: 'Start with: planchet serve --network private --join {url}',
  },
  'networks.source-silent': {
    code: 'upstream-unreachable',
    message: 'The public service {name} does not answer: {reason}.',
    hint: 'Two operators are enough. Check the connection, and publicSources if the address is your own.',
  },
  'networks.tip-old': {
    code: 'upstream-error',
    message: 'The newest block of the upstream is {minutes} minutes old.',
    hint: 'It is behind, or the network has had no block. Try another upstream, or test again later.',
  },
  'networks.zmq-silent': {
    code: 'upstream-unreachable',
    message: 'The notifications at {address} cannot be subscribed to: {reason}.',
    hint: 'Check bitcoinZmqUrl, or leave it empty: blocks are then looked for over RPC.',
  },
  'networks.token-api-none': {
    code: 'api-key-missing',
    message: 'The token service has no API key.',
    hint: 'Enter it, or clear the address: no token service is needed. An API key belongs to one network.',
  },
  'networks.token-api-refused': {
    code: 'unauthorized',
    message: 'The token service refuses the API key (HTTP {status}).',
    hint: 'Check that the key belongs to this network and is active.',
  },
  'networks.token-api-silent': {
    code: 'upstream-unreachable',
    message: 'The token service does not answer as one: {reason}.',
    hint: 'Check baseUrl: it ends with the version, for example /v1.',
  },
  'networks.quota-silent': {
    code: 'upstream-unreachable',
    message: 'The quota service does not answer as one: {reason}.',
    hint: 'Check consoleBaseUrl, or leave it empty: the quota is then asked of the token service.',
  },
  'networks.miner-none': {
    code: 'not-found',
    message: 'No miner has an address, or none is switched on.',
    hint: 'Enter mapiUrl, or add a miner under Miners. Without one transactions cannot be sent.',
  },
  'networks.miner-silent': {
    code: 'upstream-unreachable',
    message: 'The miner {name} does not tell its fees: {reason}.',
    hint: 'Check its address and API key: mapiUrl for the first miner, Miners for the others.',
  },
} as const satisfies ErrorEntries;
