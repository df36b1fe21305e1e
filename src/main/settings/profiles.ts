import { z } from 'zod';
import { type Network, networks, settingRows } from '../../contract/index.ts';
import type { RawSettings } from './migrations.ts';
import { assignPath, deletePath } from './setting-paths.ts';

/** Key of settings.json that holds the values of the networks that are not chosen. */
const PROFILES = 'profiles';

/** Whether each network has a value of its own for the key. */
export function isNetworkKey(key: string): boolean {
  return settingRows.get(key)?.perNetwork === true;
}

/**
 * The settings of a file as they are on one network. The values of the network that the file names stand at the top of the file, under the
 * names that a node gateway's file has; those of the others stand under `profiles`. A file that names no network gives its values to each
 * network that has none of its own.
 */
export function settingsOf(raw: RawSettings, network: Network): RawSettings {
  const { [PROFILES]: _, ...common } = raw;
  const own = profileOf(raw, network);
  if (raw.network === undefined) return { ...common, ...own };
  if (raw.network === network) return common;
  const shared = Object.fromEntries(Object.entries(common).filter(([key]) => !isNetworkKey(key)));
  return { ...shared, ...own };
}

/**
 * Sets a value in a file's content.
 * @param network whose value it is, where each network has one
 * @param value undefined removes the key
 * @returns the new content, which may be `raw` itself
 */
export function withValue(
  raw: RawSettings,
  network: Network,
  key: string,
  value: string | number | boolean | undefined,
): RawSettings {
  if (key === 'network') return withNetwork(raw, (value ?? 'sandbox') as Network);
  const named = raw.network ?? 'sandbox';
  const isElsewhere = isNetworkKey(key) && named !== network;
  const path = isElsewhere ? `${PROFILES}.${network}.${key}` : key;
  // From here on the values at the top are known to be the sandbox's.
  if (isNetworkKey(key) && !isElsewhere) raw.network = named;
  if (value === undefined) deletePath(raw, path);
  else assignPath(raw, path, value);
  return raw;
}

/** Names another network in the file and keeps the values of both. @returns the file's new content; `raw` is not changed */
function withNetwork(raw: RawSettings, to: Network): RawSettings {
  const from = networks.find((network) => network === (raw.network ?? 'sandbox')) ?? 'sandbox';
  if (from === to) return { ...raw, network: to };
  const { [PROFILES]: _, ...rest } = raw;
  const { [to]: next = {}, ...others } = profilesIn(raw);
  const own = Object.entries(rest).filter(([key]) => isNetworkKey(key));
  const common = Object.fromEntries(Object.entries(rest).filter(([key]) => !isNetworkKey(key)));
  const kept = { ...others, ...(own.length > 0 ? { [from]: Object.fromEntries(own) } : {}) };
  return { ...common, ...next, network: to, ...(Object.keys(kept).length > 0 ? { [PROFILES]: kept } : {}) };
}

const profileSchema = z.record(z.string(), z.unknown());

/** Profiles of a hand-written file that are not objects are ignored. */
function profilesIn(raw: RawSettings): Partial<Record<Network, RawSettings>> {
  const all = profileSchema.safeParse(raw[PROFILES]).data ?? {};
  return Object.fromEntries(
    networks.flatMap((network) => {
      const { data } = profileSchema.safeParse(all[network]);
      return data === undefined ? [] : [[network, data]];
    }),
  );
}

function profileOf(raw: RawSettings, network: Network): RawSettings {
  return Object.fromEntries(Object.entries(profilesIn(raw)[network] ?? {}).filter(([key]) => isNetworkKey(key)));
}
