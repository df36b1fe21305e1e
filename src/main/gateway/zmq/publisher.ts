import { PlanchetError, phrase } from '../../../contract/index.ts';
import { isMissingAddress, listenFailure, parseBind, refuseRemote } from '../../local-server.ts';
import { zmqTopics } from '../../node-format/zmq-topics.ts';
import { Publisher } from '../../zmtp/index.ts';

const PORT_ATTEMPTS = 10;

/**
 * Listens on the address of `zmqAddress`.
 * @throws PlanchetError `port-in-use`, `bind-refused`
 */
export async function bindPublisher(
  setting: string,
  allowRemote: boolean,
): Promise<{ publisher: Publisher; address: string }> {
  const bind = parseBind(setting.replace(/^tcp:\/\//, ''));
  refuseRemote(bind, 'zmqAddress', allowRemote ? null : phrase('fix.own-credentials'));
  for (let attempt = 1; ; attempt++) {
    const publisher = new Publisher({ topics: zmqTopics });
    let port = bind.port;
    let bound = 0;
    try {
      for (const host of bind.hosts) {
        try {
          port = await publisher.listen(host === '*' ? '0.0.0.0' : host, port);
          bound += 1;
        } catch (error) {
          if (bound > 0 && isMissingAddress(error)) continue;
          throw listenFailure(error, host, port, 'zmqAddress', `tcp://:${port >= 65_535 ? 0 : port + 1}`);
        }
      }
    } catch (error) {
      await publisher.close();
      const luckless = bind.port === 0 && error instanceof PlanchetError && error.code === 'port-in-use';
      if (luckless && attempt < PORT_ATTEMPTS) continue;
      throw error;
    }
    const first = bind.hosts[0] as string;
    const shown = ['0.0.0.0', '::', '*'].includes(first) ? '127.0.0.1' : first.includes(':') ? `[${first}]` : first;
    return { publisher, address: `tcp://${shown}:${port}` };
  }
}
