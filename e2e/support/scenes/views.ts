import type { Content } from './content.ts';

/** Every view with content: by the address in the manifest, the addresses to open, each with a name for its screenshot. */
export function viewsOf(content: Content): Readonly<Record<string, Readonly<Record<string, string>>>> {
  const { minted, drafts, sketches, txid } = content;
  return {
    '/': { dashboard: '/' },
    '/projects': { projects: '/projects' },
    '/projects/:uid': {
      'project-minted': `/projects/${minted}`,
      'project-drafts': `/projects/${drafts}`,
      'project-single': `/projects/${sketches}`,
    },
    '/import': { import: '/import' },
    '/import/:id': {
      'import-problems': `/import/${content.importId}`,
      'import-order': `/import/${content.orderImportId}`,
    },
    '/projects/:uid/mint/:jobId?': {
      'mint-select': `/projects/${sketches}/mint`,
      'mint-review': `/projects/${sketches}/mint/${content.openJobId}`,
      'mint-minted': `/projects/${sketches}/mint/${content.jobId}`,
    },
    '/jobs': { jobs: '/jobs' },
    '/jobs/:id': { 'job-waiting': `/jobs/${content.openJobId}`, 'job-done': `/jobs/${content.jobId}` },
    '/rehearsals/:id': { rehearsal: `/rehearsals/${content.rehearsalId}` },
    '/runs/:id': { 'run-waiting': `/runs/${content.openRunId}`, 'run-done': `/runs/${content.runId}` },
    '/tokens/send-many': { 'tokens-send-many': '/tokens/send-many' },
    '/tokens/:outpoint/send/:id': { 'token-sending': `/tokens/${content.token}/send/${content.tokenSendId}` },
    '/tokens/:outpoint/send': { 'token-send': `/tokens/${content.token}/send` },
    '/tokens/:outpoint?': { tokens: '/tokens', token: `/tokens/${content.token}` },
    '/redeemable-tokens': { 'redeemable-tokens': '/redeemable-tokens' },
    '/redeemable-tokens/new': { 'token-design': '/redeemable-tokens/new' },
    '/redeemable-tokens/jobs/:id': { 'token-job': `/redeemable-tokens/jobs/${content.tokenJobId}` },
    '/redeemable-tokens/history/:outpoint': { 'token-history': `/redeemable-tokens/history/${content.contract}` },
    '/wallet/send': { 'wallet-send': '/wallet/send' },
    '/wallet/payments/:id': { payment: `/wallet/payments/${content.paymentId}` },
    '/wallet/:part?': {
      wallet: '/wallet',
      'wallet-coins': '/wallet/coins',
      'wallet-receive': '/wallet/receive',
      'wallet-contacts': '/wallet/contacts',
      'wallet-keys': '/wallet/keys',
    },
    '/transactions': { transactions: '/transactions' },
    '/transactions/submit': { submit: '/transactions/submit' },
    '/transactions/:txid': {
      'submitted-transaction': `/transactions/${txid}`,
      'kept-back': `/transactions/${content.keptBack}`,
    },
    '/miners': { miners: '/miners' },
    '/gateway/:view?': {
      'gateway-connect': '/gateway',
      'gateway-traffic': '/gateway/traffic',
      'gateway-console': '/gateway/console',
      'gateway-keys': '/gateway/keys',
      'gateway-zmq': '/gateway/zmq',
    },
    '/writer': { writer: '/writer' },
    '/writer/documents': { 'writer-documents': '/writer/documents' },
    '/writer/documents/:id': { 'writer-document': `/writer/documents/${content.documentId}` },
    '/writer/dead': { 'writer-dead': '/writer/dead' },
    '/writer/keys': { 'writer-keys': '/writer/keys' },
    '/writer/try': { 'writer-try': '/writer/try' },
    '/explorer': { explorer: '/explorer' },
    '/explorer/mempool': { mempool: '/explorer/mempool' },
    '/explorer/block/:hash': { block: `/explorer/block/${content.blockHash}` },
    '/explorer/address/:address': { address: `/explorer/address/${content.address}` },
    '/explorer/outpoint/:outpoint': { outpoint: `/explorer/outpoint/${txid}_0` },
    '/tx/:txid': { transaction: `/tx/${txid}` },
    '/sandbox': { sandbox: '/sandbox' },
    '/approvals': { approvals: '/approvals' },
    '/sessions': { sessions: '/sessions' },
    '/settings': { settings: '/settings' },
    '/help': { help: '/help' },
    '/help/checks': { 'help-checks': '/help/checks' },
    '/help/notices': { 'help-notices': '/help/notices' },
    '/help/log': { 'help-log': '/help/log' },
    '/help/report': { 'help-report': '/help/report' },
    '/errors/:code': { 'error-help': '/errors/settings-invalid' },
    '/networks/:network': { 'network-test': '/networks/test', 'network-main': '/networks/main' },
    '/welcome': { welcome: '/welcome' },
    '/welcome/create': { 'welcome-create': '/welcome/create' },
    '/welcome/develop': { 'welcome-develop': '/welcome/develop' },
  };
}

/** The addresses without parameters, for a fresh installation: named like their screenshots, with `-empty` at the end. */
export function emptyViews(): Readonly<Record<string, string>> {
  const placeholder = viewsOf({} as Content);
  const plain = Object.values(placeholder).flatMap((addresses) => Object.entries(addresses));
  return Object.fromEntries(
    plain.filter(([, path]) => !path.includes('undefined')).map(([name, path]) => [`${name}-empty`, path]),
  );
}
