import { useTranslation } from 'react-i18next';
import type { SandboxStatus } from '../../../../contract/index.ts';
import { Panel } from '../../../components/page.tsx';
import { isOwnSnapshot } from '../with-undo.ts';
import { ActionRow } from './action-row.tsx';
import { DoubleSpendRow } from './double-spend-row.tsx';
import { Faucet } from './faucet.tsx';
import { IntervalRow, MineRow } from './mine-row.tsx';
import { Relay } from './relay.tsx';
import { SnapshotRow } from './snapshot-row.tsx';

/** The actions on the network, one per row. */
export function Actions({ status }: { status: SandboxStatus }) {
  const { t } = useTranslation();
  return (
    <Panel flush title={t('sandbox.actions')}>
      <MineRow />
      <IntervalRow />
      <ActionRow name={t('sandbox.faucet')} hint={t('sandbox.faucetHint')} more={<Faucet />} />
      <DoubleSpendRow />
      <SnapshotRow height={status.tip.height} snapshots={status.snapshots.filter(isOwnSnapshot)} />
      <ActionRow name={t('sandbox.relayName')} hint={t('sandbox.relayRowHint')} more={<Relay />} />
    </Panel>
  );
}
