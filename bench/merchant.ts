import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  bumpOfPath,
  displayToHash,
  type JsonEnvelope,
  merkleBranch,
  merkleRoot,
  serializeHeader,
} from '../src/chain/index.ts';
import { type ChainRules, rulesOf } from '../src/main/chain-data/headers/chain-rules.ts';
import { requiredBits } from '../src/main/chain-data/headers/difficulty.ts';
import { createProofVerifier } from '../src/main/chain-data/headers/proof-verifier.ts';
import { foreignBounds } from '../src/main/foreign-json.ts';
import { openAnswer } from '../src/main/merchant/protocols/mapi/open-answer.ts';
import { quoteSchema } from '../src/main/merchant/protocols/mapi/payloads.ts';
import type { ChainHeader, ProofInput } from '../src/main/ports/headers.ts';
import { startProcess } from '../src/main/test-support/crash/processes.ts';
import type { SandboxProcessOptions, SandboxReady } from '../src/main/test-support/crash/sandbox-process.ts';
import type { Report } from './report.ts';
import { ClientProcess } from './support/client-process.ts';
import { type HostMemory, hostMemory } from './support/host-memory.ts';
import { mineHeaders } from './support/load/header-load.ts';
import type { MerchantResult, MerchantRound, MerchantTask } from './support/merchant-child.ts';

const HEADERS = 900_000;
/** Leaves of the block whose proofs are verified; a path has 17 levels. */
const TRANSACTIONS = 100_000;
const PROOFS = 20_000;
const ENVELOPES = 10_000;

/** Payments submitted and followed to their proofs. */
const SUBMITTED = 10_000;
/** Payments that wait in the mempool while nothing happens. */
const IDLE = 100_000;
const IDLE_MS = 120_000;
/** How often the engine collects garbage differs by some 20 MB from one round to the next. */
const HOST_ROUNDS = 5;
const API_KEY = 'testnet_0123456789abcdef';

/** Headers and proofs of the merchant service, and transactions followed by it. */
export async function run(report: Report): Promise<void> {
  envelopes(report);
  await tracked(report);
  await proofs(report);
  await headers(report);
  difficulty(report);
}

/** A policy quote as the specification shows one, read as an answer is. */
function envelopes(report: Report): void {
  const file = new URL('../src/chain/vectors/json-envelopes.json', import.meta.url);
  const [sample] = JSON.parse(readFileSync(file, 'utf8')) as { envelope: JsonEnvelope }[];
  const text = JSON.stringify(sample?.envelope);
  for (let n = 0; n < 500; n++) openAnswer(text, quoteSchema, foreignBounds.minerTerms);
  const started = performance.now();
  for (let n = 0; n < ENVELOPES; n++) openAnswer(text, quoteSchema, foreignBounds.minerTerms);
  const each = ((performance.now() - started) * 1_000) / ENVELOPES;
  report('an envelope verified', each, 'µs', 'at most 200 µs');
}

async function tracked(report: Report): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'planchet-bench-'));
  const options: SandboxProcessOptions = { dataDir: folder, apiKey: API_KEY, mineOnArrival: '' };
  const sandbox = startProcess<SandboxReady>('sandbox-process.ts', options);
  try {
    const { endpoints } = await sandbox.ready;
    const task: MerchantTask = { endpoints, apiKey: API_KEY };
    const merchant = await ClientProcess.start('./merchant-child.ts', task, process.execArgv);
    const ask = async (round: MerchantRound): Promise<MerchantResult> => (await merchant.ask(round)) as MerchantResult;
    try {
      await ask({ transactions: SUBMITTED / 5 });
      const { seconds, memory } = await ask({ transactions: SUBMITTED });
      report(
        `${SUBMITTED} transactions submitted, mined and proven`,
        SUBMITTED / seconds,
        'a second',
        'at least 1,000',
      );
      report('memory of the process meanwhile, highest', memory, 'MB', 'at most 300');
      await reportHost(report);
      const { idleShare } = await ask({ transactions: IDLE, idleMs: IDLE_MS });
      report(`${IDLE} transactions tracked, idle`, idleShare * 100, '% of a core', 'at most 1');
    } finally {
      merchant.end();
    }
  } finally {
    await sandbox.end();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The same payments through the whole application, which is the miner as well. */
async function reportHost(report: Report): Promise<void> {
  const rounds: HostMemory[] = [];
  for (let round = 0; round < HOST_ROUNDS; round++) rounds.push(await hostMemory(SUBMITTED));
  const middle = (name: keyof HostMemory): number =>
    rounds.map((one) => one[name]).sort((a, b) => a - b)[HOST_ROUNDS >> 1] as number;
  report(`memory of a whole host with its sandbox, idle (median of ${HOST_ROUNDS})`, middle('idle'), 'MB');
  report(
    `memory of a whole host with its sandbox, ${SUBMITTED} transactions proven (median of ${HOST_ROUNDS})`,
    middle('highest'),
    'MB',
    'at most 300',
  );
}

async function proofs(report: Report): Promise<void> {
  const txids = Array.from({ length: TRANSACTIONS }, (_, n) => n.toString(16).padStart(64, '0'));
  const header = serializeHeader({
    version: 1,
    previousHash: '0'.repeat(64),
    merkleRoot: merkleRoot(txids),
    time: 0,
    bits: 0x207fffff,
    nonce: 0,
  });
  const block: ChainHeader = { hash: 'ab'.repeat(32), height: 900_000, header };
  const verifier = createProofVerifier({
    header: () => block,
    at: () => block,
    tip: block,
    isActive: () => true,
    isAgreed: true,
    refresh: async () => undefined,
    onChange: () => () => undefined,
  });
  const index = 77_777;
  const txid = txids[index] as string;
  const nodes = merkleBranch(txids, index);
  const siblings = nodes.map((node) => (node === '*' ? null : displayToHash(node)));
  const forms: [string, ProofInput][] = [
    ['TSC', { kind: 'tsc', json: { index, txOrId: txid, targetType: 'hash', target: block.hash, nodes } }],
    ['BUMP', { kind: 'bump', bytes: bumpOfPath(900_000, { txid, index, siblings }) }],
  ];
  for (const [name, form] of forms) {
    for (let n = 0; n < 500; n++) await verifier.verify(txid, form);
    const started = performance.now();
    for (let n = 0; n < PROOFS; n++) {
      const answer = await verifier.verify(txid, form);
      if ('refused' in answer) throw new Error(answer.refused);
    }
    const each = ((performance.now() - started) * 1_000) / PROOFS;
    report(`A ${name} proof of ${siblings.length} levels verified`, each, 'µs', 'at most 100 µs');
  }
}

async function headers(report: Report): Promise<void> {
  const load = mineHeaders(HEADERS);
  const dataDir = mkdtempSync(join(tmpdir(), 'planchet-headers-'));
  try {
    const first = load.open(dataDir);
    report('900,000 headers checked and stored', await timed(() => first.refresh()), 's');
    await first.close();
    const again = load.open(dataDir);
    report('900,000 headers loaded', await timed(() => again.refresh()), 's');
    const lookups = 50_000;
    const seconds = await timed(async () => {
      for (let n = 0; n < lookups; n++)
        if (again.header(load.hashAt((n * 7_919) % HEADERS)) === undefined) throw new Error('a header is missing');
    });
    report('A header found by its hash', (seconds * 1e6) / lookups, 'µs');
    await again.close();
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}

/** The cost of the main network's rule, which headers of the sandbox do not have. */
function difficulty(report: Report): void {
  const rules = rulesOf('main', 'main') as ChainRules;
  const bits = new Uint32Array(4_096).fill(0x18021fdb);
  const times = new Uint32Array(4_096);
  const count = 50_000;
  const started = performance.now();
  for (let height = 600_000, next = 0x18021fdb; height < 600_000 + count; height++) {
    times[height % 4_096] = 1_500_000_000 + (height - 600_000) * 600 + ((height * 2_654_435_761) % 500);
    bits[height % 4_096] = next;
    if (height < 600_200) continue;
    const view = {
      height,
      time: (at: number) => times[at % 4_096] as number,
      bits: (at: number) => bits[at % 4_096] as number,
    };
    next = requiredBits(rules, view, view.time(height) + 600);
  }
  report('The difficulty of a header of the main network', ((performance.now() - started) * 1_000) / count, 'µs');
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return (performance.now() - started) / 1_000;
}
