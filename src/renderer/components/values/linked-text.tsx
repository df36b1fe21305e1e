import { Link } from 'wouter';
import { shortenId } from '../../lib/format.ts';
import { routes } from '../../lib/routes.ts';

/** A sentence whose transaction ids are shortened and linked. */
export function LinkedText({ text }: { text: string }) {
  return text.split(/([0-9a-f]{64})/).map((part, index) =>
    index % 2 === 0 ? (
      part
    ) : (
      <Link key={part} className="mono link" href={routes.transaction(part)} title={part}>
        {shortenId(part)}
      </Link>
    ),
  );
}
