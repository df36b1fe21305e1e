import { useTranslation } from 'react-i18next';
import type { Review } from '../../../../contract/index.ts';
import { useExactMoney } from '../../../api/money.ts';
import { shortenId } from '../../../lib/format.ts';
import { ThumbStack } from '../../preview/art.tsx';
import type { PreviewFile } from '../../preview/preview-file.ts';
import { Amount } from '../../values/values.tsx';
import { type Group, groupAlike } from '../group.ts';
import { sum } from '../sum.ts';
import classes from './flow.module.css';
import { type Band, fold, layoutFlow } from './flow-layout.ts';

const SHOWN = 8;

interface LabelledBand extends Band {
  kind: 'funding' | 'token' | 'contract' | 'redemption' | 'payment' | 'change' | 'fee' | 'unknown' | 'other';
  label: string;
  files?: readonly PreviewFile[];
}

/** Pictures at the end of a band. */
const PICTURES = 3;
const noFiles: ReadonlyMap<string, PreviewFile> = new Map();

/** The data of a transaction that the drawing needs. It comes from a review before signing, and from the chain after. */
export type FlowSource = Pick<Review, 'inputs' | 'fee'> & {
  outputs: readonly (Pick<Review['outputs'][number], 'index' | 'satoshis' | 'itemId' | 'address'> & {
    /** `other`: an output of a transaction without a review, so that it cannot differ from what was requested. */
    kind: Review['outputs'][number]['kind'] | 'other';
  })[];
};

function useBands(
  source: FlowSource,
  names: ReadonlyMap<string, string>,
  files: ReadonlyMap<string, PreviewFile>,
): { left: LabelledBand[]; right: LabelledBand[] } {
  const { t } = useTranslation();
  /** The remaining parts as one band. */
  const folded = (
    key: string,
    kind: LabelledBand['kind'],
    rest: readonly Group<{ satoshis: number }>[],
    label: 'review.moreInputs' | 'review.moreOutputs',
  ): LabelledBand[] => {
    const entries = rest.flatMap((group) => group.entries);
    return entries.length === 0
      ? []
      : [{ key, kind, satoshis: sum(entries), label: t(label, { count: entries.length }) }];
  };
  const inputs = fold(
    groupAlike(source.inputs, (input) => `${input.satoshis} ${input.address}`),
    SHOWN,
  );
  const left: LabelledBand[] = inputs.visible.map(({ entries }) => {
    const [input] = entries as [FlowSource['inputs'][number]];
    const from = input.address === null ? t('review.funding') : shortenId(input.address, 6);
    return {
      key: `${input.txid}_${input.vout}`,
      satoshis: sum(entries),
      kind: 'funding',
      label: entries.length > 1 ? t('review.alikeParts', { count: entries.length, what: from }) : from,
    };
  });
  left.push(...folded('more', 'funding', inputs.rest, 'review.moreInputs'));
  const money = useExactMoney();
  const filesOf = (outputs: readonly { itemId: string | null }[]): PreviewFile[] =>
    outputs.flatMap(({ itemId }) => (itemId === null ? undefined : files.get(itemId)) ?? []).slice(0, PICTURES);
  // Equal tokens share a band. A token with another value or address has a band of its own before them.
  const tokens = fold(
    groupAlike(
      source.outputs.filter((output) => output.kind === 'token'),
      (output) => `${output.satoshis} ${output.address}`,
    ),
    SHOWN,
  );
  const right: LabelledBand[] = tokens.visible.map(({ entries }) => {
    const [output] = entries as [FlowSource['outputs'][number]];
    return {
      key: String(output.index),
      satoshis: sum(entries),
      kind: 'token',
      label:
        entries.length > 1
          ? t('review.alike', { count: entries.length, each: money(output.satoshis) })
          : ((output.itemId === null ? undefined : names.get(output.itemId)) ?? t('review.token')),
      files: filesOf(entries),
    };
  });
  const rest = tokens.rest.flatMap(({ entries }) => entries);
  if (rest.length > 0) {
    right.push({
      key: 'more',
      satoshis: sum(rest),
      kind: 'token',
      label: t('review.moreTokens', { count: rest.length }),
      files: filesOf(rest),
    });
  }
  const labelOf = (output: FlowSource['outputs'][number]): string => {
    if (output.kind === 'change') return t('review.change');
    if (output.kind === 'contract' || output.kind === 'redemption') return t(`review.kind.${output.kind}`);
    if (output.kind === 'unknown') return t('review.unknownOutput');
    return output.address === null ? t('review.output', { n: output.index }) : shortenId(output.address, 6);
  };
  const others = groupAlike(
    source.outputs.filter((output) => output.kind !== 'token'),
    (output) => `${output.kind} ${output.satoshis} ${output.address ?? output.index}`,
  );
  // Only outputs without a review may be merged into a count. In a review, an output that was not requested is always visible.
  const plain = fold(
    others.filter(({ entries }) => entries[0]?.kind === 'other'),
    SHOWN,
  );
  for (const { entries } of [...others.filter((group) => group.entries[0]?.kind !== 'other'), ...plain.visible]) {
    const [output] = entries as [FlowSource['outputs'][number]];
    const label = labelOf(output);
    right.push({
      key: `output ${output.index}`,
      satoshis: sum(entries),
      kind: output.kind,
      label: entries.length > 1 ? t('review.alikeParts', { count: entries.length, what: label }) : label,
    });
  }
  right.push(...folded('more outputs', 'other', plain.rest, 'review.moreOutputs'));
  right.push({ key: 'fee', satoshis: source.fee, kind: 'fee', label: t('review.fee') });
  return { left, right };
}

function End({ band }: { band: LabelledBand }) {
  return (
    <li className={classes.end} data-kind={band.kind}>
      <span className={classes.endValue}>
        <Amount satoshis={band.satoshis} />
      </span>
      <span className={classes.endLabel} title={band.label}>
        {band.files !== undefined && band.files.length > 0 ? (
          <ThumbStack files={band.files} size={22} />
        ) : (
          <span className={classes.key} aria-hidden />
        )}
        <span className={classes.endName}>{band.label}</span>
      </span>
    </li>
  );
}

interface FlowProps {
  source: FlowSource;
  names: ReadonlyMap<string, string>;
  files?: ReadonlyMap<string, PreviewFile>;
}

/** Inputs on the left, outputs on the right, with widths by value on a logarithmic scale. Equal parts are merged. The labels state everything that the drawing shows. */
export function Flow({ source, names, files = noFiles }: FlowProps) {
  const { t } = useTranslation();
  const { left, right } = useBands(source, names, files);
  const flow = layoutFlow(left, right);
  const money = useExactMoney();
  return (
    <div>
      <div className={classes.headings} aria-hidden>
        <span>{t('review.inputs')}</span>
        <span>{t('review.outputs')}</span>
      </div>
      <div className={classes.flow}>
        <ul className={`${classes.side} ${classes.in}`} aria-label={t('review.inputs')}>
          {left.map((band) => (
            <End key={band.key} band={band} />
          ))}
        </ul>
        <svg
          width={flow.width}
          height={flow.height}
          viewBox={`0 0 ${flow.width} ${flow.height}`}
          role="img"
          aria-label={t('review.drawingLabel', {
            inputs: source.inputs.length,
            outputs: source.outputs.length,
            in: money(sum(source.inputs)),
            out: money(sum(source.outputs)),
            fee: money(source.fee),
          })}
        >
          {flow.left.map((band, index) => (
            <g key={band.key} data-kind={left[index]?.kind}>
              <path className={classes.band} d={band.path} strokeWidth={band.width} />
            </g>
          ))}
          {flow.right.map((band, index) => (
            <g key={band.key} data-kind={right[index]?.kind}>
              <path className={classes.band} d={band.path} strokeWidth={band.width} />
            </g>
          ))}
        </svg>
        <ul className={classes.side} aria-label={t('review.outputs')}>
          {right.map((band) => (
            <End key={band.key} band={band} />
          ))}
        </ul>
      </div>
    </div>
  );
}
