// Separate from the schemas: the page needs it at its start, and loads the schema library later.

/** The APIs that a fault can be limited to. */
export const sandboxFaultAreas = [
  'all',
  'token',
  'mapi',
  'arc',
  'rpc',
  'woc',
  'bananablocks',
  'arcade',
  'cdn',
  'onesat',
] as const;

/** Properties of a fault other than its texts in `sandbox.fault` and `faultHints` of the page and `services.fault`. */
export interface SandboxFaultTraits {
  /** Its number. `first` is offered on the page. */
  readonly value?: {
    readonly unit: 'milliseconds' | 'httpStatus' | 'blocks';
    readonly first: number;
    readonly min: number;
    readonly max: number;
  };
  /** It affects every reply, so that it can be limited to an area, and prevents the sandbox's node from replying in time. */
  readonly answers?: true;
  /** Each public service applies it separately, so that it can be limited to an area. */
  readonly byArea?: true;
}

/** The faults of the sandbox. Each is applied where `Faults.take` is called for it. */
export const sandboxFaults = {
  latency: { value: { unit: 'milliseconds', first: 2_000, min: 1, max: 600_000 }, answers: true },
  'http-error': { value: { unit: 'httpStatus', first: 503, min: 400, max: 599 }, answers: true },
  'drop-connection': { answers: true },
  'html-answer': { answers: true },
  'too-many-requests': { answers: true },
  'half-answer': { answers: true },
  'slow-drip': { value: { unit: 'milliseconds', first: 1_000, min: 1, max: 600_000 }, answers: true },
  'endless-body': { byArea: true },
  'forged-headers': { byArea: true },
  'headers-fork': { byArea: true },
  'wrong-file-hash': {},
  'invented-rows': { byArea: true },
  'wrong-amount': { byArea: true },
  'other-bytes': { byArea: true },
  'other-block': { byArea: true },
  'inner-node': { byArea: true },
  'stale-proof': { byArea: true },
  'hidden-rows': { byArea: true },
  'denied-spend': { byArea: true },
  'echoed-broadcast': { byArea: true },
  'rejected-mined': { byArea: true },
  'callbacks-lost': {},
  'mempool-full': {},
  /** The node keeps only this many of its newest blocks, and no index of transactions. */
  'pruned-blocks': { value: { unit: 'blocks', first: 3, min: 1, max: 1_000_000 } },
  'quote-expired': {},
  'wrong-signature': {},
  'tampered-txobj': {},
  'base64-content': {},
} as const satisfies Record<string, SandboxFaultTraits>;

export type SandboxFaultName = keyof typeof sandboxFaults;
export const sandboxFaultNames = Object.keys(sandboxFaults) as [SandboxFaultName, ...SandboxFaultName[]];

export function sandboxFaultTraits(name: SandboxFaultName): SandboxFaultTraits {
  return sandboxFaults[name];
}

/** Whether a fault prevents the sandbox's node from replying in time, so that services that use the node cannot work. */
export function breaksNode(fault: { name: SandboxFaultName; area: (typeof sandboxFaultAreas)[number] }): boolean {
  return sandboxFaultTraits(fault.name).answers === true && (fault.area === 'all' || fault.area === 'rpc');
}
