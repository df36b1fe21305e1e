import { PlanchetError, type PortProbe, type ServiceName, serviceNames, settingRows } from '../../../contract/index.ts';
import { canListen, listenerOf, nextFreePort } from '../../infrastructure/port-probe.ts';
import { parseBind } from '../../local-server.ts';

/**
 * Whether the address of a setting could be listened on.
 * @param value as the setting has it: `host:port` or `tcp://host:port`
 * @param addressOf where each service listens now; its own address is free for it
 * @throws PlanchetError `invalid-input` for a key that holds no such address
 */
export async function probePort(
  { key, value }: { key: string; value: string },
  addressOf: (service: ServiceName) => string | null,
): Promise<PortProbe> {
  const own = settingRows.get(key)?.listens;
  const at = value.lastIndexOf(':');
  if (own === undefined || at < 0) throw new PlanchetError('settings.no-port', { key });
  const { hosts, port } = parseBind(value.replace(/^tcp:\/\//, ''));
  const holder = serviceNames.find((service) => portOf(addressOf(service)) === port);
  if (port !== 0 && holder === own) return { port, isFree: true, usedBy: null, proposal: null };
  if (holder === undefined && (await canListen(hosts, port)))
    return { port, isFree: true, usedBy: null, proposal: null };
  const next = await nextFreePort(hosts, port);
  return {
    port,
    isFree: false,
    usedBy: holder ?? listenerOf(port) ?? null,
    proposal: next === undefined ? null : `${value.slice(0, at)}:${next}`,
  };
}

function portOf(address: string | null): number | undefined {
  const port = /:(\d+)\/?$/.exec(address ?? '')?.[1];
  return port === undefined ? undefined : Number(port);
}
