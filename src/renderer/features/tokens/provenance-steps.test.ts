import { describe, expect, it } from 'vitest';
import { ADDRESS, job } from '../../test-support/samples.ts';
import { provenanceOf } from './provenance-steps.ts';

const held = { address: ADDRESS, own: true, spent: false } as const;
const unknown = { address: undefined, own: undefined, spent: undefined };
const proven = {
  ...job,
  blockHeight: 7,
  blockHash: 'aa'.repeat(32),
  history: [
    { state: 'signed', at: 1 },
    { state: 'submitted', at: 2 },
    { state: 'mined', at: 3 },
    { state: 'signed', at: 4 },
    { state: 'submitted', at: 5 },
    { state: 'mined', at: 6 },
    { state: 'proven', at: 8 },
  ] as const satisfies { state: string; at: number }[],
} as unknown as typeof job;

describe('the provenance of a token', () => {
  it('goes from its mint to whoever holds it, with the times of the last attempt', () => {
    expect(provenanceOf({ state: 'proven' }, proven, held)).toEqual([
      { kind: 'sent', at: 5, address: ADDRESS },
      { kind: 'mined', at: 6, block: { height: 7, hash: 'aa'.repeat(32) } },
      { kind: 'proven', at: 8 },
      { kind: 'held', address: ADDRESS },
    ]);
  });

  it('ends where the token has left its output', () => {
    const kinds = provenanceOf({ state: 'mined' }, proven, { ...held, spent: true }).map(({ kind }) => kind);
    expect(kinds).toEqual(['sent', 'mined', 'moved']);
  });

  it('says no more than is known while the mint is on its way', () => {
    expect(provenanceOf({ state: 'signed' }, proven, unknown).map(({ kind }) => kind)).toEqual(['signed']);
    expect(provenanceOf({ state: 'seen' }, undefined, unknown)).toEqual([
      { kind: 'sent', at: undefined, address: undefined },
    ]);
  });
});
