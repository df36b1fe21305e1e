import { lazy, Suspense, useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { useLocation } from 'wouter';
import { openApprovals, useApprovalSheet, useWaitingApprovals } from '../../api/approvals.ts';
import { useExactMoney } from '../../api/money.ts';
import { hideToast, showToast } from '../../components/toasts/toast-store.ts';
import { routes } from '../../lib/routes.ts';
import { programName } from './program-name.ts';

const ApprovalSheet = lazy(async () => ({ default: (await import('./approval-sheet.tsx')).ApprovalSheet }));

/** Shows each new request in the page and on the desktop, and contains the sheet in which it is decided. */
export function ApprovalsBackground() {
  const { t } = useTranslation();
  const money = useExactMoney();
  const waiting = useWaitingApprovals();
  const opened = useApprovalSheet((state) => state.opened);
  const told = useRef(new Set<string>());
  const [location] = useLocation();
  // The approvals page shows requests itself, and the messages would cover it.
  const isShown = location === routes.approvals;
  useEffect(() => {
    for (const { id, program, kind, amount } of waiting) {
      if (told.current.has(id)) continue;
      told.current.add(id);
      const title = t(`approvals.told.${kind}`, { program: programName(t, program) });
      const text = money(amount);
      if (!isShown) {
        showToast({
          id: `approval-${id}`,
          tone: 'wait',
          title,
          text,
          action: { label: t('approvals.review'), run: openApprovals },
          lastsMs: null,
        });
      }
      tellDesktop(title, text);
    }
    for (const id of told.current) {
      const waits = waiting.some((one) => one.id === id);
      if (!waits) told.current.delete(id);
      if (!waits || isShown) hideToast(`approval-${id}`);
    }
  }, [waiting, t, money, isShown]);
  return (
    opened && (
      <Suspense fallback={null}>
        <ApprovalSheet waiting={waiting} onClose={() => useApprovalSheet.setState({ opened: false })} />
      </Suspense>
    )
  );
}

/** Shown only if the person has allowed notifications. The permission is not requested here. */
function tellDesktop(title: string, body: string): void {
  if (!('Notification' in window) || Notification.permission !== 'granted') return;
  const notification = new Notification(title, { body, requireInteraction: true });
  notification.onclick = () => {
    window.focus();
    openApprovals();
  };
}
