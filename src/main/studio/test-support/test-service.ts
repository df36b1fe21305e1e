import { createHash, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  decodeAddress,
  feeFor,
  fromHex,
  hash160,
  inscriptionScript,
  ONE_SATOSHI,
  p2pkhScript,
  parseTx,
  predictSignedSize,
  satoshis,
  type Tx,
  type TxObj,
  toTxObj,
  txidOf,
} from '../../../chain/index.ts';
import { RpcFailure, TestChain } from './test-chain.ts';

export const API_KEY = 'testnet_abcdefghijklmnopqrstuvwxyz';

interface Output {
  uid: string;
  projectUid: string;
  transactionUid: string | null;
  txId: string | null;
  contentType: string;
  b64File: string;
  metadata: Record<string, string>;
}

interface Fault {
  path: RegExp;
  /** `lost`: done, but the answer never arrives. A number: answered with that status, nothing done. Bytes: answered with them. */
  how: 'lost' | 'hang' | number | Buffer;
  headers?: Record<string, string>;
  message?: string;
  times: number;
}

type Body = Record<string, unknown>;

class Refusal extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** A token service, a quota service, a miner and a node on one local port, which can fail in the ways that real services do. */
export class TestService {
  readonly chain = new TestChain();
  readonly projects = new Map<string, { uid: string; name: string; type: string }>();
  readonly outputs = new Map<string, Output>();
  readonly transactions = new Map<string, { outputs: string[]; txId: string | null }>();
  readonly calls: string[] = [];
  readonly faults: Fault[] = [];
  /** The fee rate of the token service. */
  rate = { satoshis: 500, bytes: 1_000 };
  quota = { monthlyMintLimit: 100, totalUsed: 0 };
  /** Changes what `create-transaction` answers. */
  tamper: (txObj: TxObj) => unknown = (txObj) => txObj;
  /** Inscribes the base64 text that was sent instead of the file, as a service has been seen to do. */
  inscribesText = false;
  /** Awaited by each call before it is answered. */
  before: (call: string) => Promise<void> = async () => {};
  /** Whether transactions that the miner accepts reach the node. */
  delivers = true;
  readonly #server: Server;

  constructor() {
    this.#server = createServer((request, response) => void this.#answer(request, response));
  }

  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return this.url;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  fault(path: RegExp, how: Fault['how'], options: Partial<Pick<Fault, 'message' | 'times' | 'headers'>> = {}): void {
    this.faults.push({ path, how, times: 1, ...options });
  }

  count(path: RegExp): number {
    return this.calls.filter((call) => path.test(call)).length;
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const pieces: Buffer[] = [];
    try {
      for await (const piece of request) pieces.push(piece as Buffer);
    } catch {
      // The client was killed while it sent.
      return;
    }
    const { pathname: path, searchParams: query } = new URL(request.url ?? '/', this.url);
    const call = `${request.method} ${path}`;
    this.calls.push(call);
    await this.before(call);
    const fault = this.faults.find(({ path: pattern, times }) => times > 0 && pattern.test(call));
    if (fault) fault.times--;
    if (fault?.how === 'hang') return;
    if (fault?.how instanceof Buffer) {
      return void response.writeHead(200, { 'content-type': 'application/json' }).end(fault.how);
    }
    const reply = (status: number, body: unknown) => {
      if (fault?.how === 'lost') return void request.socket.destroy();
      response.writeHead(status, { 'content-type': 'application/json', ...fault?.headers }).end(JSON.stringify(body));
    };
    if (typeof fault?.how === 'number')
      return reply(fault.how, { success: false, message: fault.message ?? 'refused' });
    try {
      const text = Buffer.concat(pieces).toString('utf8');
      const body = text === '' ? {} : (JSON.parse(text) as Body);
      if (path === '/rpc' || path.startsWith('/miner/')) return reply(200, this.#chainCall(path, body));
      if (request.headers.apikey !== API_KEY) throw new Refusal(401, 'unknown key');
      reply(200, { success: true, data: this.#tokenCall(call, body, query) });
    } catch (error) {
      const status = error instanceof Refusal ? error.status : error instanceof RpcFailure ? 400 : 500;
      reply(status, { success: false, message: (error as Error).message });
    }
  }

  #chainCall(path: string, body: Body): unknown {
    try {
      if (path === '/miner/submit') {
        if (this.delivers) this.chain.accept(fromHex(body.rawTx as string));
        return { result: null };
      }
      if (path === '/miner/status') return { result: this.chain.transactions.has(body.txid as string) };
      return { result: this.chain.call(body.method as string, body.params as unknown[]) };
    } catch (error) {
      return { error: { code: error instanceof RpcFailure ? error.code : -1, message: (error as Error).message } };
    }
  }

  #tokenCall(call: string, body: Body, query: URLSearchParams): unknown {
    const id = decodeURIComponent(call.split('/').at(-1) ?? '');
    if (call === 'POST /token/v1/project/create') return this.#createProject(body);
    if (call === 'GET /token/v1/project/') {
      const projectList = [...this.projects.values()].map(({ uid, name }) => ({
        ...{ uid, name, network: 'testnet', tokenProtocol: 'OneSatOrdinal', offChainData: { isFungible: false } },
      }));
      return { projectList };
    }
    if (call.startsWith('GET /token/v1/project/')) return this.#project(id);
    if (call === 'POST /token/v1/token/one-sat-ord/create-output') return this.#createOutput(body);
    if (call.startsWith('PUT /token/v1/token/one-sat-ord/update-output/')) return this.#updateOutput(id, body);
    if (call.startsWith('DELETE /token/v1/output/')) return this.#deleteOutput(id);
    if (call.startsWith('GET /token/v1/output/by-project/')) return this.#listOutputs(id, query);
    if (call === 'POST /token/v1/token/one-sat-ord/create-transaction') return this.#createTransaction(body);
    if (call === 'POST /token/v1/submit') return this.#submit(body);
    if (call === 'GET /console/v1/quota') {
      const { monthlyMintLimit, totalUsed } = this.quota;
      const available = monthlyMintLimit - totalUsed;
      return {
        apiKey: API_KEY,
        startDate: '2026-11-01',
        endDate: '2026-12-01',
        monthlyMintLimit,
        totalUsed,
        available,
      };
    }
    throw new Refusal(404, 'no such path');
  }

  #project(uid: string): unknown {
    const project = this.projects.get(uid);
    if (project === undefined) throw new Refusal(404, 'no such project');
    return { ...project, network: 'testnet', tokenProtocol: 'OneSatOrdinal', isFungible: false };
  }

  #createProject({ name, type }: Body): unknown {
    const uid = randomUUID();
    this.projects.set(uid, { uid, name: name as string, type: type as string });
    return { projectUid: uid };
  }

  #createOutput({ projectUid, contentType, b64File, metadata }: Body): unknown {
    this.#project(projectUid as string);
    const uid = randomUUID();
    this.outputs.set(uid, {
      uid,
      projectUid: projectUid as string,
      transactionUid: null,
      txId: null,
      contentType: contentType as string,
      b64File: b64File as string,
      metadata: metadata as Record<string, string>,
    });
    return { uid, type: 'token', tokenProtocol: 'OneSatOrdinal' };
  }

  #updateOutput(uid: string, { metadata }: Body): unknown {
    const output = this.outputs.get(uid);
    if (output === undefined) throw new Refusal(404, 'no such output');
    if (output.transactionUid !== null) throw new Refusal(400, 'the output is in a transaction');
    output.metadata = { ...output.metadata, ...(metadata as Record<string, string>) };
    return { uid };
  }

  #deleteOutput(uid: string): unknown {
    const output = this.outputs.get(uid);
    if (output === undefined) throw new Refusal(404, 'no such output');
    if (output.transactionUid !== null) throw new Refusal(400, 'the output is in a transaction');
    this.outputs.delete(uid);
    return { uid };
  }

  #listOutputs(projectUid: string, query: URLSearchParams): unknown {
    const onChain = query.get('on-chain');
    const type = query.get('type');
    const outputList = [...this.outputs.values()]
      .filter((output) => output.projectUid === projectUid)
      .filter(({ txId }) => onChain === null || (txId !== null) === (onChain === '1'))
      .filter(({ metadata }) => type === null || metadata.subType === type)
      .map(({ b64File, contentType, txId: _, ...output }) => ({
        ...output,
        type: 'token',
        tokenProtocol: 'OneSatOrdinal',
        createdAt: '2026-11-20T00:00:00.000Z',
        offChainData: {
          b64FileHash: createHash('sha256').update(b64File).digest('hex'),
          b64FileSize: b64File.length,
          contentType,
        },
      }));
    return { outputList };
  }

  #createTransaction(body: Body): unknown {
    const uids = body.outputList as string[];
    const outputs = uids.map((uid) => {
      const output = this.outputs.get(uid);
      if (output === undefined) throw new Refusal(404, 'no such output');
      if (output.transactionUid !== null) throw new Refusal(400, 'the output is in a transaction already');
      return output;
    });
    const { pubKeyHash } = decodeAddress(body.dstAddress as string);
    const changeScript = p2pkhScript(hash160(fromHex(body.publicKey as string)));
    const spent = (body.utxoList as { outputIndex: number; txId: string }[]).map(({ txId, outputIndex }) => {
      const utxo = this.chain.output(txId, outputIndex);
      if (utxo === undefined) throw new Refusal(400, 'no such funding output');
      return utxo;
    });
    const tokens = outputs.map(({ contentType, b64File, metadata }) => ({
      satoshis: ONE_SATOSHI,
      script: inscriptionScript({
        pubKeyHash,
        contentType,
        content: Buffer.from(b64File, this.inscribesText ? 'latin1' : 'base64'),
        map: metadata,
      }),
    }));
    const held = spent.reduce((sum, utxo) => sum + utxo.satoshis, 0);
    const build = (change: number): Tx => ({
      version: 1,
      inputs: spent.map(({ txid, vout }) => ({ txid, vout, script: new Uint8Array(0), sequence: 0xffffffff })),
      outputs: [...tokens, { satoshis: satoshis(change), script: changeScript }],
      lockTime: 0,
    });
    const change = held - tokens.length - feeFor(predictSignedSize(build(0)), this.rate);
    if (change < 0) throw new Refusal(400, 'the funding does not cover the fee');
    const txObj = toTxObj(build(change), spent, { script: changeScript, index: tokens.length });
    const transactionUid = randomUUID();
    for (const output of outputs) output.transactionUid = transactionUid;
    this.transactions.set(transactionUid, { outputs: uids, txId: null });
    return { transactionUid, txObj: this.tamper(txObj) };
  }

  #submit(body: Body): unknown {
    const transaction = this.transactions.get(body.transactionUid as string);
    if (transaction === undefined) throw new Refusal(404, 'no such transaction');
    // Not every service takes the same submission twice; this one does not.
    if (transaction.txId !== null) throw new Refusal(400, 'submitted already');
    const raw = fromHex(body.tx as string);
    const txId = txidOf(parseTx(raw));
    if (this.delivers) this.chain.accept(raw);
    transaction.txId = txId;
    for (const uid of transaction.outputs) (this.outputs.get(uid) as Output).txId = txId;
    this.quota.totalUsed += transaction.outputs.length;
    return { txId };
  }
}
