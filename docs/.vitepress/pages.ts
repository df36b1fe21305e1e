import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

interface Entry {
  text: string;
  link?: string;
  collapsed?: boolean;
  items?: Entry[];
}

const page = (text: string, link: string): Entry => ({ text, link });

/** Every page below a folder of the prepared pages, as the link that leads to it. */
function pagesBelow(source: string, folder = ''): string[] {
  return readdirSync(join(source, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .sort()
    .map((name) => `${folder}/${name.replaceAll('\\', '/').slice(0, -'.md'.length)}`);
}

function titleOf(source: string, link: string): string {
  return /^# (.+)$/m.exec(readFileSync(join(source, `${link}.md`), 'utf8'))?.[1] ?? link;
}

/** The list of pages: the order below, and after it the documents that nobody gave a place yet. @param source folder of the prepared pages */
export function listOfPages(source: string): Entry[] {
  if (!existsSync(source)) return sidebar([], []);
  const apis = existsSync(join(source, 'openapi')) ? pagesBelow(source, '/openapi') : [];
  const placed = new Set(sidebar([], []).flatMap(({ items = [] }) => items.map(({ link = '' }) => link)));
  const others = pagesBelow(source).filter(
    (link) => !placed.has(link) && !/^\/(?:openapi|decisions|proofs)\/|(?:^|\/)index$/.test(link),
  );
  const entry = (link: string): Entry => page(titleOf(source, link), link);
  return sidebar(apis.map(entry), others.map(entry));
}

/** The site in the order it is read. @param apis pages of OpenAPI documents @param others documents without a place */
function sidebar(apis: Entry[], others: Entry[]): Entry[] {
  return [
    {
      text: 'Guide',
      items: [
        page('Install and start', '/guide/start'),
        page('Your first token', '/guide/first-token'),
        page('A collection', '/guide/collection'),
        page('Wallet and backup', '/guide/wallet'),
        page('Redeemable tokens', '/guide/redeemable-tokens'),
        page('Rehearse before launch', '/guide/rehearsal'),
        page('Without a node', '/guide/without-a-node'),
        page('Going live', '/guide/going-live'),
        page('When something goes wrong', '/guide/troubleshooting'),
        page('Command line, settings, ports', '/command-line'),
      ],
    },
    {
      text: 'Minting in detail',
      collapsed: true,
      items: [
        page('Import', '/importing'),
        page('Minting', '/minting'),
        page('Mint runs', '/mint-runs'),
        page('Proof bundles', '/proof-bundle'),
        page('Publishing a project', '/publishing'),
        page('Wallet', '/wallet'),
      ],
    },
    {
      text: 'Integrate',
      items: [
        page('Where to start', '/integrate/'),
        page('Node gateway', '/gateway'),
        page('Data writer', '/data-writer'),
        page('Transactions', '/transactions'),
        page('Miners', '/miners'),
        page('Token library', '/token-library'),
        page('Sandbox', '/sandbox'),
        page('APIs of the sandbox', '/sandbox-api'),
        page('From the services of TAAL', '/integrate/from-taal'),
        page('From js-1sat-ord', '/integrate/from-js-1sat-ord'),
      ],
    },
    {
      text: 'Examples for programs',
      items: [
        page('Prepare', '/integrate/examples'),
        page('JSON-RPC', '/integrate/rpc'),
        page('REST', '/integrate/rest'),
        page('Notifications', '/integrate/zmq'),
        page('Documents', '/integrate/writer'),
        page('Merchant API', '/integrate/mapi'),
        page('ARC', '/integrate/arc'),
        page('Redeemable tokens', '/integrate/tokens'),
        page('The console', '/integrate/console'),
      ],
    },
    ...(apis.length > 0 ? [{ text: 'HTTP interfaces', collapsed: true, items: apis }] : []),
    {
      text: 'Operate',
      items: [
        page('A fleet', '/operate/fleet'),
        page('Containers, systemd, HAProxy', '/operate/servers'),
        page('Backups and restores', '/operate/backups'),
        page('Upgrades', '/operate/upgrades'),
        page('Monitoring', '/operate/monitoring'),
        page('Packages', '/packaging'),
      ],
    },
    {
      text: 'Security and errors',
      items: [
        page('Trust and reporting', '/trust'),
        page('Security in detail', '/security'),
        page('Errors by code', '/errors'),
      ],
    },
    {
      text: 'How it is built',
      collapsed: true,
      items: [
        page('Architecture', '/architecture'),
        page('Decisions', '/decisions/'),
        page('Proofs', '/proofs'),
        page('Fifteen complaints of the first day', '/day-one'),
        page('Fast path of the gateway', '/fast-path'),
        page('Fast accept of the writer', '/writer-fast-accept'),
        page('The gateway against a node', '/node-conformance'),
        page('Consensus of the sandbox', '/sandbox-consensus'),
        page('Contributing', '/contributing'),
        page('Changelog', '/changelog'),
        ...others,
      ],
    },
  ];
}
