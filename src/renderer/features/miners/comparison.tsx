import { ActionIcon, Menu, Switch } from '@mantine/core';
import {
  IconArrowDown,
  IconArrowUp,
  IconDots,
  IconGripVertical,
  IconPencil,
  IconPlugConnected,
  IconRefresh,
  IconTrash,
} from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import { type Failure, type Miner, minerProtocols } from '../../../contract/index.ts';
import { api, client } from '../../api/client.ts';
import { useMoney } from '../../api/money.ts';
import { useActions } from '../../api/use-actions.ts';
import { ErrorNote } from '../../components/callouts/failure-note.tsx';
import { smallIcon } from '../../components/icon.ts';
import layout from '../../components/styles/layout.module.css';
import { offerUndo } from '../../components/toasts/undo.ts';
import { useNow } from '../../components/values/use-now.ts';
import { Badge } from '../../components/values/values.tsx';
import {
  formatBytes,
  formatDuration,
  formatInteger,
  formatMilliseconds,
  formatRelative,
  formatShare,
} from '../../lib/format.ts';
import { routes } from '../../lib/routes.ts';
import { cheapest, moved, type Policy, policyRows, rateKinds, rateOf, unitOf } from './compare.ts';
import classes from './miners.module.css';

/** Size of the example art, in bytes. */
const ART_BYTES = 1_000_000;

interface ComparisonProps {
  miners: readonly Miner[];
  onEdit: (miner: Miner) => void;
  onTest: (miner: Miner) => void;
}

/** One column per miner: its fees, response times and limits. */
export function Comparison({ miners, onEdit, onTest }: ComparisonProps) {
  const { t, i18n } = useTranslation();
  const money = useMoney();
  const now = useNow();
  const language = i18n.language;
  const [onlyDifferences, setOnlyDifferences] = useState(false);
  const policies = policyRows(miners);
  const listed = onlyDifferences ? policies.filter(({ differs }) => differs) : policies;
  const row = (name: string, cell: (miner: Miner) => ReactNode, differs?: boolean, code?: string) => (
    <tr key={name} data-differs={differs || undefined}>
      <th scope="row">
        {name}
        {code !== undefined && code !== name && <div className={`mono ${classes.code}`}>{code}</div>}
      </th>
      {miners.map((miner) => (
        <td key={miner.id} data-off={!miner.enabled || undefined}>
          {cell(miner)}
        </td>
      ))}
    </tr>
  );
  return (
    <div className={layout.scroll}>
      <table className={classes.table}>
        <thead>
          <tr>
            <th scope="col">{t('miners.row.miner')}</th>
            {miners.map((miner) => (
              <th scope="col" key={miner.id}>
                <MinerHead miner={miner} miners={miners} onEdit={onEdit} onTest={onTest} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {row(t('miners.row.state'), (miner) => (
            <MinerState miner={miner} />
          ))}
          {rateKinds.map((kind) => {
            const lowest = cheapest(miners, kind, now);
            return row(t(`miners.row.${kind}`), ({ quote, enabled }) => {
              const rate = rateOf(quote, kind);
              if (rate === undefined) return t(quote === null ? 'miners.noQuote' : 'miners.notStated');
              const isLowest = enabled && rate === lowest;
              return (
                <span className={classes.rate} data-expired={quote !== null && quote.expiresAt <= now ? '' : undefined}>
                  <span className="num">{t('miners.perThousand', { rate })}</span>
                  {isLowest && <Badge tone="done">{t('miners.lowest')}</Badge>}
                </span>
              );
            });
          })}
          {row(t('miners.row.art'), ({ quote }) => {
            const rate = rateOf(quote, 'data');
            return rate === undefined ? t('miners.notStated') : money((rate * ART_BYTES) / 1_000);
          })}
          {row(t('miners.row.expires'), ({ quote }) =>
            quote === null
              ? t('miners.notStated')
              : quote.expiresAt <= now
                ? t('miners.expired')
                : formatRelative(quote.expiresAt, now, language),
          )}
          {row(t('miners.row.signature'), (miner) => (
            <Signature miner={miner} />
          ))}
          {row(t('miners.row.latency'), ({ latencyMs }) =>
            latencyMs === null ? t('miners.notStated') : `${formatMilliseconds(latencyMs, language)} ms`,
          )}
          {row(t('miners.row.requests'), ({ requests: { succeeded, failed } }) =>
            t('miners.answered', { ok: succeeded, failed }),
          )}
        </tbody>
        <tbody>
          {policies.length > 0 && (
            <tr>
              <th scope="rowgroup" colSpan={miners.length + 1} className={classes.group}>
                <span className={classes.groupLine}>
                  {t('miners.policies')}
                  {policies.some(({ differs }) => !differs) && (
                    <Switch
                      size="xs"
                      label={t('miners.onlyDifferences')}
                      checked={onlyDifferences}
                      onChange={(event) => setOnlyDifferences(event.currentTarget.checked)}
                    />
                  )}
                </span>
              </th>
            </tr>
          )}
          {policies.length > 0 && listed.length === 0 && (
            <tr>
              <td colSpan={miners.length + 1}>{t('miners.noDifferences')}</td>
            </tr>
          )}
          {listed.map(({ name, values, differs }) =>
            row(
              t(`miners.policy.${name as 'maxtxsizepolicy'}`, { defaultValue: name }),
              ({ id }) => <PolicyValue name={name} value={values[id]} />,
              differs,
              name,
            ),
          )}
        </tbody>
      </table>
    </div>
  );
}

/** The largest 32-bit number. Nodes state it if they set no limit. */
const NO_LIMIT = 0xffff_ffff;

/** Data type of the drag, so that nothing else can be dropped here. */
const DRAGGED = 'application/x-planchet-miner';

function MinerHead({ miner, miners, onEdit, onTest }: ComparisonProps & { miner: Miner }) {
  const { t } = useTranslation();
  const [over, setOver] = useState(false);
  const queries = useQueryClient();
  const onSettled = () => queries.invalidateQueries({ queryKey: api.miners.key() });
  const update = useActions(api.miners.update.mutationOptions({ onSettled }));
  const refresh = useMutation(api.miners.refresh.mutationOptions({ onSettled }));
  const reorder = useActions(api.miners.reorder.mutationOptions({ onSettled }));
  const remove = useMutation(api.miners.remove.mutationOptions({ onSettled }));
  const { id, name, kind, builtIn, enabled, url } = miner;
  const added = miners.filter((each) => !each.builtIn).map((each) => each.id);
  const move = (by: number): void => {
    const ids = moved(added, id, by);
    if (ids.some((other, at) => other !== added[at])) reorder.mutate({ ids });
  };
  const drop = (dropped: string): void => {
    const from = added.indexOf(dropped);
    const ids = moved(added, dropped, added.indexOf(id) - from);
    if (from >= 0 && dropped !== id) reorder.mutate({ ids });
  };
  const offer = (title: string, undo: () => Promise<unknown>): void =>
    offerUndo({ id: `miner-${id}`, title, undo: () => undo().finally(onSettled) });
  const onRemove = (): void => {
    const undo = () => client.miners.restore({ id });
    // After the removal this column is unmounted, so nothing later may depend on it. It shows a failure.
    remove.mutateAsync({ id }).then(
      () => offer(t('miners.removed', { name }), undo),
      () => undefined,
    );
  };
  const onSwitch = (on: boolean): void => {
    const undo = () => client.miners.update({ id, enabled: true });
    update.mutate({ id, enabled: on }, { onSuccess: () => on || offer(t('miners.switchedOff', { name }), undo) });
  };
  const failed = update.error ?? refresh.error ?? reorder.error ?? remove.error;
  return (
    // biome-ignore lint/a11y/useSemanticElements: no fieldset, since this is only a drop target
    <div
      role="group"
      aria-label={name}
      className={classes.head}
      data-over={over || undefined}
      onDragOver={(event) => {
        if (builtIn || !event.dataTransfer.types.includes(DRAGGED)) return;
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        if (!builtIn) drop(event.dataTransfer.getData(DRAGGED));
      }}
    >
      <div className={classes.name}>
        {!builtIn && added.length > 1 && (
          <ActionIcon
            variant="subtle"
            color="gray"
            className={classes.grip}
            aria-label={t('miners.grip', { name })}
            title={t('miners.gripHint')}
            draggable
            onDragStart={({ dataTransfer }) => {
              dataTransfer.effectAllowed = 'move';
              dataTransfer.setData(DRAGGED, id);
            }}
            onKeyDown={(event) => {
              const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
              if (by === undefined) return;
              event.preventDefault();
              move(by);
            }}
          >
            <IconGripVertical {...smallIcon} />
          </ActionIcon>
        )}
        <strong>{name}</strong>
        <Menu position="bottom-end" withinPortal={false} floatingStrategy="fixed">
          <Menu.Target>
            <ActionIcon variant="subtle" color="gray" aria-label={t('miners.actions', { name })}>
              <IconDots {...smallIcon} />
            </ActionIcon>
          </Menu.Target>
          <Menu.Dropdown>
            <Menu.Item leftSection={<IconPlugConnected {...smallIcon} />} onClick={() => onTest(miner)}>
              {t('miners.test')}
            </Menu.Item>
            <Menu.Item leftSection={<IconRefresh {...smallIcon} />} onClick={() => refresh.mutate({ id })}>
              {t('miners.refresh')}
            </Menu.Item>
            {!builtIn && (
              <>
                <Menu.Item leftSection={<IconPencil {...smallIcon} />} onClick={() => onEdit(miner)}>
                  {t('miners.edit')}
                </Menu.Item>
                <Menu.Item
                  leftSection={<IconArrowUp {...smallIcon} />}
                  disabled={added.indexOf(id) === 0}
                  onClick={() => move(-1)}
                >
                  {t('miners.moveUp')}
                </Menu.Item>
                <Menu.Item
                  leftSection={<IconArrowDown {...smallIcon} />}
                  disabled={added.indexOf(id) === added.length - 1}
                  onClick={() => move(1)}
                >
                  {t('miners.moveDown')}
                </Menu.Item>
                <Menu.Item c="var(--pl-fail-text)" leftSection={<IconTrash {...smallIcon} />} onClick={onRemove}>
                  {t('miners.remove')}
                </Menu.Item>
              </>
            )}
          </Menu.Dropdown>
        </Menu>
      </div>
      <div className={classes.url} title={url}>
        {url || (
          <Link className="link" href={routes.setting('mapiUrl')}>
            {t('miners.enterAddress')}
          </Link>
        )}
      </div>
      <div className={classes.name}>
        <span className={classes.kind}>
          {t(`miners.kind.${kind}`)}
          {builtIn && ` · ${t('miners.builtIn')}`}
        </span>
        <Switch
          size="xs"
          aria-label={t('miners.switchOn', { name })}
          checked={enabled}
          onChange={(event) => onSwitch(event.currentTarget.checked)}
        />
      </div>
      <ErrorNote error={failed} />
    </div>
  );
}

const isOtherKey = (failure: Miner['failure']): boolean => failure?.code === 'merchant-key-changed';

function troubleOf(failure: Failure): 'otherKey' | 'needsKey' | 'failing' {
  if (isOtherKey(failure)) return 'otherKey';
  return failure.code === 'api-key-missing' || failure.code === 'unauthorized' ? 'needsKey' : 'failing';
}

function MinerState({ miner: { url, enabled, failure } }: { miner: Miner }) {
  const { t } = useTranslation();
  if (url === '') return <Badge tone="neutral">{t('miners.noAddress')}</Badge>;
  if (!enabled) return <Badge tone="neutral">{t('miners.off')}</Badge>;
  if (failure === null) return <Badge tone="done">{t('miners.on')}</Badge>;
  return <Badge tone="fail">{t(`miners.${troubleOf(failure)}`)}</Badge>;
}

function Signature({ miner: { kind, key, quote, failure } }: { miner: Miner }) {
  const { t } = useTranslation();
  if (!minerProtocols[kind].signs) return t('miners.noSignature');
  if (isOtherKey(failure)) return <Badge tone="fail">{t('miners.refusedKey')}</Badge>;
  if (quote?.source === null || quote === null || key === null) return t('miners.notStated');
  if (quote.source.publicKey === null) return <Badge tone="wait">{t('miners.unsigned')}</Badge>;
  return <span title={quote.source.publicKey}>{t(key.pinned ? 'miners.pinned' : 'miners.signedSince')}</span>;
}

function PolicyValue({ name, value }: { name: string; value: Policy | undefined }) {
  const { t, i18n } = useTranslation();
  if (value === undefined) return t('miners.notStated');
  if (typeof value === 'boolean') return t(value ? 'miners.yes' : 'miners.no');
  if (typeof value === 'string') return value;
  if (typeof value === 'object') return value.join(', ') || t('miners.none');
  if (value === NO_LIMIT) return <span title={formatInteger(value)}>{t('miners.noLimit')}</span>;
  const unit = unitOf(name);
  if (unit === 'bytes') return <span title={formatInteger(value)}>{formatBytes(value, i18n.language)}</span>;
  if (unit === 'milliseconds')
    return <span title={`${formatInteger(value, i18n.language)} ms`}>{formatDuration(value)}</span>;
  if (unit === 'perCent') return formatShare(value, 100, i18n.language);
  const number = formatInteger(value, i18n.language);
  return unit === 'rate' ? t('review.rateValue', { rate: number }) : number;
}
