/** The public services that Planchet can ask about the chain. */
export const publicSourceNames = ['cdn', 'whatsonchain', 'bananablocks', 'arcade', 'onesat'] as const;
export type PublicSourceName = (typeof publicSourceNames)[number];

/** Who runs each, and what it learns of whoever asks it. */
export const publicSourceFacts: Readonly<
  Record<PublicSourceName, { readonly operator: string; readonly learns: 'addresses' | 'headers' }>
> = {
  cdn: { operator: 'Project Babbage', learns: 'headers' },
  whatsonchain: { operator: 'TAAL', learns: 'addresses' },
  bananablocks: { operator: 'GorillaPool', learns: 'addresses' },
  arcade: { operator: 'BSV Association', learns: 'headers' },
  onesat: { operator: 'GorillaPool', learns: 'addresses' },
};

/** Whether a service is asked, and where; the address is empty for the preset. */
interface PublicSourceChoice {
  readonly on: boolean;
  readonly address: string;
}
export type PublicSourceChoices = ReadonlyMap<PublicSourceName, PublicSourceChoice>;

/**
 * Reads the setting `publicSources`: names with commas between, each with an address of its own after `=`, or without one for the preset. One with
 * `-` before it is not asked. Where only such ones are named, all others are asked, as all are by an empty text.
 * @example readPublicSources('arcade,whatsonchain=http://127.0.0.1:9600/woc/v1/bsv/test'), readPublicSources('-onesat')
 * @returns a choice for each service there is; undefined for a text that is no such list
 */
export function readPublicSources(text: string): PublicSourceChoices | undefined {
  const named = new Map<PublicSourceName, PublicSourceChoice>();
  for (const part of text.split(',').map((one) => one.trim())) {
    if (part === '') continue;
    const [, off, name = '', address = ''] = /^(-?)(\w+)(?:=(https?:\/\/[^\s@,]+))?$/.exec(part) ?? [];
    const known = publicSourceNames.find((one) => one === name);
    if (known === undefined || named.has(known) || (address !== '' && !URL.canParse(address))) return undefined;
    named.set(known, { on: off === '', address });
  }
  const others = { on: ![...named.values()].some(({ on }) => on), address: '' };
  return new Map(publicSourceNames.map((name) => [name, named.get(name) ?? others]));
}

/** The text that {@link readPublicSources} reads as these choices; empty where all are asked at their presets. */
export function writePublicSources(choices: PublicSourceChoices): string {
  const isPreset = [...choices.values()].every(({ on, address }) => on && address === '');
  if (isPreset) return '';
  return [...choices]
    .map(([name, { on, address }]) => `${on ? '' : '-'}${name}${address === '' ? '' : `=${address}`}`)
    .join(',');
}

/**
 * Where a sandbox has the services that it plays: what the network `private` asks in place of public services and miners.
 * @param joinUrl the sandbox's address; empty for none
 */
export function joinedServices(joinUrl: string): Partial<Record<PublicSourceName | 'arc', string>> {
  if (joinUrl === '') return {};
  const base = joinUrl.replace(/\/+$/, '');
  return {
    cdn: `${base}/cdn`,
    onesat: `${base}/1sat`,
    whatsonchain: `${base}/woc/v1/bsv/test`,
    bananablocks: `${base}/bananablocks/api/v1`,
    arcade: `${base}/arcade`,
    arc: `${base}/open-arc/v1`,
  };
}
