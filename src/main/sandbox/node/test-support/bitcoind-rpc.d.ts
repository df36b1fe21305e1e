declare module 'bitcoind-rpc' {
  /** The subset of the client that the tests use: its commands are created at run time. */
  class RpcClient {
    static config: { logger: 'none' | 'normal' | 'debug' };
    constructor(options: { protocol: 'http' | 'https'; host: string; port: number; user: string; pass: string });
    httpOptions: { path: string };
    batch(calls: () => void, done: (error: unknown, answers: unknown) => void): void;
    getBlockCount(): void;
    getBlockHash(height: number): void;
    [command: string]: unknown;
  }
  export default RpcClient;
}
