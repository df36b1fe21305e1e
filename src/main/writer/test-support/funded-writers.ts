import { TestFundingService } from './funding-service.ts';
import { TestHarness } from './harness.ts';
import { API_KEY, type WriterClient, WriterProcesses } from './writer-client.ts';

/** Writers whose documents a funding service pays for. */
export class FundedWriters {
  readonly writers: WriterProcesses;
  readonly harness: TestHarness;
  readonly service: TestFundingService;

  static async open(): Promise<FundedWriters> {
    const harness = new TestHarness();
    return new FundedWriters(await WriterProcesses.open(), harness, await TestFundingService.open(harness, API_KEY));
  }

  private constructor(writers: WriterProcesses, harness: TestHarness, service: TestFundingService) {
    this.writers = writers;
    this.harness = harness;
    this.service = service;
  }

  /** Starts a writer whose API key is registered with the service. */
  async start(settings: object = {}): Promise<WriterClient> {
    const client = await this.writers.start(this.harness, {
      settings: { writerFunding: 'service', fundingUrl: this.service.url, fundingTimeout: '2s', ...settings },
    });
    const known = (await client.service.view.keys.list()).length > 0;
    if (!known) await client.service.view.keys.register({ apiKey: API_KEY });
    return client;
  }

  async close(): Promise<void> {
    await this.writers.close();
    if (this.service.listening) await this.service.close();
  }
}
