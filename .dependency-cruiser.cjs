/** The layers of ARCHITECTURE.md, as rules: an import against an arrow fails `npm run check`. */
const test = '[.]test[.]tsx?$|/test-support/';
/**
 * The rooms of each service as patterns of paths below its folder, lowest first: a room imports only itself and rooms listed before it.
 * `top` are the files that put the service together; no room imports them.
 */
const rooms = {
  gateway: {
    order: [
      'methods/',
      'messages/',
      'blocks/',
      'metrics/',
      'upstream/',
      'chain/',
      'cache/',
      'public/',
      'rpc/',
      'rest/',
      'server/',
      'fast-path/',
      'zmq/',
    ],
    top: 'gateway(?:-view)?[.]ts$',
  },
  writer: {
    order: [
      'storage/',
      'acceptance/',
      'queue/',
      'sending/',
      'keys/',
      'funding/',
      'dead-letters/',
      'proofs/',
      'pipeline/',
      'views/',
      'api/',
    ],
    top: 'writer[.]ts$',
  },
  sandbox: {
    order: [
      'node/consensus/',
      'node/storage/',
      'node/chainstate/',
      'node/mempool/',
      'node/ledger[.]ts',
      'node/mining/',
      'api/(?!(?:admin-routes|error-body|server)[.]ts$)',
      'node/(?:rpc|zmq)/',
      '(?:controls|merchant|arc|arcade|token)/',
      'public-services/',
      'api/(?:admin-routes|error-body|server)[.]ts$',
    ],
    top: 'sandbox[.]ts$',
  },
  studio: {
    order: ['content/', 'projects/', 'review/', 'minting/', 'import/', 'runs/', 'tokens/'],
    top: 'studio[.]ts$',
  },
};
const roomRules = Object.entries(rooms).flatMap(([service, { order, top }]) =>
  order.map((room, index) => ({
    name: `${service}-${index + 1}-${room
      .match(/[a-z/]+/)[0]
      .replace(/[/]$/, '')
      .replaceAll('/', '-')}-imports-earlier-rooms-only`,
    severity: 'error',
    from: { path: `^src/main/${service}/${room}`, pathNot: test },
    to: { path: `^src/main/${service}/(?:${[...order.slice(index + 1), top].join('|')})` },
  })),
);
const services = [
  'approvals',
  'chain-data',
  'tokens',
  'node-format',
  'vault',
  'store',
  'settings',
  'wallet',
  'studio',
  'merchant',
  'gateway',
  'writer',
  'sandbox',
  'console',
  'workers',
  'pictures',
];

module.exports = {
  forbidden: [
    {
      name: 'no-circular',
      comment: 'Type-only imports included: a cycle of types ties two files together as well.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'contract-stands-alone',
      comment: 'What crosses a process boundary knows nothing of either side.',
      severity: 'error',
      from: { path: '^src/contract' },
      to: { path: '^src/(?!contract)' },
    },
    {
      name: 'token-library-is-pure',
      comment: 'Usable alone: the chain and nothing else of ours.',
      severity: 'error',
      from: { path: '^src/token', pathNot: test },
      to: { path: '^src/(?!token|chain)' },
    },
    {
      name: 'chain-is-pure',
      comment: 'Codecs and rules: no I/O, nothing of ours outside.',
      severity: 'error',
      from: { path: '^src/chain', pathNot: test },
      to: { path: ['^src/(?!chain)', '^(node:)?(fs|net|http|https|dgram|child_process|worker_threads)'] },
    },
    {
      name: 'renderer-sees-the-contract-only',
      severity: 'error',
      from: { path: '^src/renderer' },
      to: { path: '^src/(?!renderer|contract)' },
    },
    {
      name: 'features-import-no-other-feature',
      comment: 'What two features share stands in components/, api/ or lib/.',
      severity: 'error',
      from: { path: '^src/renderer/features/([^/]+)/', pathNot: test },
      to: { path: '^src/renderer/(features/(?!$1/)|app/)', pathNot: '^src/renderer/app/texts[.]ts$' },
    },
    {
      name: 'shared-renderer-parts-know-no-feature',
      severity: 'error',
      from: { path: '^src/renderer/(components|api|lib|i18n)/', pathNot: test },
      to: { path: '^src/renderer/(features|app)/' },
    },
    {
      name: 'renderer-api-and-lib-draw-nothing',
      severity: 'error',
      from: { path: '^src/renderer/(api|lib|i18n)/', pathNot: test },
      to: { path: '^src/renderer/components/' },
    },
    {
      name: 'only-the-manifest-of-a-feature-is-imported',
      comment: 'Its pages are loaded when they are opened.',
      severity: 'error',
      from: { path: '^src/renderer/app/', pathNot: test },
      to: { path: '^src/renderer/features/[^/]+/(?!index[.]ts$)', pathNot: '/de[.]json$' },
    },
    {
      name: 'preload-stands-alone',
      severity: 'error',
      from: { path: '^src/preload', pathNot: test },
      to: { path: '^src/(?!preload|contract)' },
    },
    ...services.map((service) => ({
      name: `${service}-keeps-to-itself`,
      comment:
        'A service imports no other service: host/ hands it what it needs. The store, the clock, the version, pauses, lists in parts, why a connection failed, waiting, streams, the listening, the making of folders, the checks of bodies, the parts of OpenAPI documents, the formats of a node, the jobs of one transaction, the following of the chain, the help of its commands and the table of refusals serve all.',
      severity: 'error',
      from: { path: `^src/main/${service}/`, pathNot: test },
      to: {
        path: `^src/main/(?!${service}/|store/store[.]ts|ports/|clock[.]ts|version[.]ts|pause[.]ts|chunks[.]ts|async/|local-server[.]ts|json-scan[.]ts|json-in-turns[.]ts|foreign-json[.]ts|event-stream[.]ts|http/|phrased-error[.]ts|infrastructure/(disposables|drain-request|make-folder|pull-stream|secret-forms)[.]ts|open-api/|node-format/|zmtp/|transaction-jobs/|chain-data/following/|gateway/methods/help[.]ts|merchant/refusals[.]ts)`,
      },
    })),
    {
      name: 'chain-data-is-asked-through-its-port',
      comment:
        'Services ask what they mean (ports/chain-data.ts). The commands of a node are called by the gateway, the sandbox and one adapter.',
      severity: 'error',
      from: {
        path: '^src/',
        pathNot: [test, '^src/main/(gateway|sandbox|node-format|chain-data/node)/', '^src/main/ports/node[.]ts$'],
      },
      to: { path: '^src/main/ports/node[.]ts$' },
    },
    ...roomRules,
    {
      name: 'zmtp-is-a-package',
      comment: 'Its inner files are its own; its README describes what index.ts exports.',
      severity: 'error',
      from: { path: '^src', pathNot: '^src/main/zmtp/' },
      to: { path: '^src/main/zmtp/(?!index[.]ts$|test-support/)' },
    },
    {
      name: 'zmtp-stands-alone',
      severity: 'error',
      from: { path: '^src/main/zmtp/', pathNot: test },
      to: { path: '^src/(?!main/zmtp/|main/pause[.]ts)' },
    },
    {
      name: 'pictures-are-decoded-without-keys',
      comment: 'Native code that reads what other people wrote belongs into the picture process, which has none.',
      severity: 'error',
      from: { path: '^src', pathNot: [test, '^src/main/pictures/drawing/', '^src/main/picture-process[.]ts$'] },
      to: { path: ['node_modules/sharp/', '^src/main/pictures/drawing/'] },
    },
    {
      name: 'the-sdk-in-parts',
      comment: 'Its main file loads a megabyte of sources, in every thread that verifies scripts as well.',
      severity: 'error',
      from: { path: '^src', pathNot: test },
      to: { path: 'node_modules/@bsv/sdk/.*/mod[.]' },
    },
    {
      name: 'electron-only-in-the-shell',
      comment: 'Loading the electron package outside Electron fetches its program.',
      severity: 'error',
      from: { pathNot: '^src/(preload/|main/(index[.]ts|shell/))' },
      to: { path: '^electron$|node_modules/electron/' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    parser: 'swc',
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default', 'types'] },
  },
};
