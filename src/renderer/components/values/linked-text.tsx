import { Link } from 'wouter';
import type { Failure } from '../../../contract/index.ts';
import { shortenId } from '../../lib/format.ts';
import { routes } from '../../lib/routes.ts';

interface LinkedTextProps {
  text: string;
  /** The transactions that it names; without them, each id is taken for one of a transaction. */
  txids?: readonly string[];
}

/** A sentence whose transaction ids are shortened and linked. */
export function LinkedText({ text, txids }: LinkedTextProps) {
  return text.split(/([0-9a-f]{64})/).map((part, index) =>
    index % 2 === 0 || txids?.includes(part) === false ? (
      part
    ) : (
      <Link key={part} className="mono link" href={routes.transaction(part)} title={part}>
        {shortenId(part)}
      </Link>
    ),
  );
}

/** The transactions that a failure names, by the names of its values. Other ids in it, such as those of blocks, are none. */
export function txidsIn(failure: Pick<Failure, 'values'> | undefined): string[] {
  const { txid, rival } = failure?.values ?? {};
  return [txid, rival].filter((id) => typeof id === 'string');
}
